import GreenroomModel
import GreenroomABI
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

/// Steps of a call, and the call's functions of the host.
extension PluginLife {
    /// Begins to pass the demands for participants' tracks.
    func beginDemands(_ demands: [Demand]) -> PluginInstance.PendingStep {
        begin(.demand) { [self] backend in
            let isDone: Void? = betweenMedia {
                for demand in demands { backend.perform(.demand(demand)) }
            }
            return isDone == nil ? .illegal(lifecycle) : .done
        }
    }

    // MARK: The plugin's calls

    /// Adds a participant.
    func join(_ name: String) throws(Refusal) -> UInt32 { try roster(for: .joined).join(name) }

    /// Removes a participant.
    func leave(_ participant: UInt32) throws(Refusal) { try roster(for: .left).leave(participant) }

    /// Opens a track of a participant.
    ///
    /// - Returns: The track's number for outputs, and the track's sender.
    func open(
        _ kind: UInt32, of participant: UInt32, upTo capability: gr_capability
    ) throws(Refusal) -> (track: UInt32, sender: UInt64) {
        let roster = try roster(for: .openTrack)
        let pool = state.withLock { $0.backend?.pool }
        let (track, sender) = try roster.open(kind, of: participant, upTo: capability, pool: pool)
        return (track.id, sender)
    }

    /// Closes a track.
    func close(_ sender: UInt64) throws(Refusal) { try roster(for: .closeTrack).close(sender) }

    /// Mutes or unmutes a track.
    func mute(_ isMuted: Bool, _ sender: UInt64) throws(Refusal) {
        try roster(for: .setMuted).mute(isMuted, sender)
    }

    /// Leaves a participant out of recordings, or takes that back.
    func record(_ isRecorded: Bool, _ participant: UInt32) throws(Refusal) {
        try roster(for: .setRecorded).record(isRecorded, participant)
    }

    /// Returns the participants while the call sends.
    private func roster(for call: HostFunction) throws(Refusal) -> CallRoster {
        guard let roster = environment.roster else { throw Refusal(.gone, in: call) }
        let status = state.withLock { $0.senderStatus }
        guard status == .ok else { throw Refusal(status: status, in: call) }
        return roster
    }
}
