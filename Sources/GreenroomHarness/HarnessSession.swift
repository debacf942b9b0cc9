import GreenroomModel
import GreenroomLifecycle
import Synchronization

/// A session for a plugin under test to control. The session accepts every command without effect.
final class HarnessSession: SessionControlling {
    private let number = Atomic<UInt32>(0)

    func perform(line: String, for role: String) throws(CommandError) -> UInt32 {
        number.wrappingAdd(1, ordering: .relaxed).newValue
    }

    var descriptionText: String? {
        #"{"clock":"virtual","commands":[],"plugins":[],"seconds":0,"session":"validate","table":[]}"#
    }

    var reportText: String? {
        #"{"outcome":"running","videoTracks":[],"plugins":[],"seconds":0,"session":"validate","#
            + #""audioTracks":[]}"#
    }
}
