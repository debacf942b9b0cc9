import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
package import GreenroomSession

extension SessionPlan {
    /// Gives the places of the share and of its sound to whoever connects to the broadcast's socket.
    package mutating func awaitBroadcast() {
        guard let shareBroadcast else { return }
        let listener = BroadcastListener(path: shareBroadcast)
        share = SourcePlan(listener.factory(of: .shareSource))
        shareAudio = SourcePlan(listener.factory(of: .shareAudioSource))
    }
}

extension SourcePlan {
    fileprivate init(_ broadcast: BroadcastFactory) {
        // Its end is no failure: it may come again.
        self.init(
            factory: broadcast, descriptor: broadcast.descriptor, settings: [], onFailure: .off)
    }
}
