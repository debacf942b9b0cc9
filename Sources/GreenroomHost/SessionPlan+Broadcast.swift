import GreenroomIsolation
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomLifecycle
import GreenroomSession

extension SessionPlan {
    /// Adds the share and its audio, from the broadcast that will connect to the socket.
    package mutating func awaitBroadcast() {
        guard let broadcast = configuration.broadcast, let role = SessionRole.ofBroadcasts else {
            return
        }
        let listener = BroadcastListener(path: broadcast)
        slots += SessionRole.allCases.filter { $0.follows(role) }.map {
            SessionSlot($0, SourcePlan(listener.factory(of: $0.kind)))
        }
    }
}

extension SourcePlan {
    fileprivate init(_ broadcast: BroadcastFactory) {
        // Its end is not a failure: it may connect again.
        self.init(
            factory: broadcast, descriptor: broadcast.descriptor, settings: [], onFailure: .off)
    }
}
