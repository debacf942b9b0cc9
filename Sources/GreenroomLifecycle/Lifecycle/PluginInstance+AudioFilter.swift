import GreenroomAudio
import GreenroomVideo

/// An audio pre-processor acts as a filter of its track.
extension PluginInstance: AudioFilter {
    package func giveUp(hungFor nanoseconds: Int64) -> Bool {
        guard !isDebugged else { return false }
        giveUp(hungFor: nanoseconds, in: .process)
        return true
    }
}
