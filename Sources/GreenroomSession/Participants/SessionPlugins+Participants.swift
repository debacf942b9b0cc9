import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime

extension SessionPlugins {
    /// Does what the call has asked for since the last time: participants come and go, and their
    /// tracks begin and end.
    mutating func followParticipants(on pipeline: SessionPipeline) {
        // One that has left has closed all that it had opened.
        guard let instance = slots.callInstance, let roster = instance.roster else { return }
        // A new life of the call is told of its tracks as soon as it is back.
        if let call = slots.call, isAway(call), !isEnding,
            [.initialized, .sending].contains(instance.lifecycle)
        {
            return
        }
        for change in roster.takeChanges() {
            switch change {
            case .joined(let member):
                participants.joined(member, at: clock.now - epoch)
                events.send(
                    .participantJoined(
                        role: instance.role, name: member.participant.name))
                let told = tell(
                    of: member.describedMix, participant: member.participant.name, kind: nil)
                pipeline.participants.open(member, to: told)
            case .opened(let track, let sender):
                let told = tell(
                    of: track.described, participant: track.participant.name, kind: track.kind)
                pipeline.participants.open(track, sender: sender, to: told)
                events.send(
                    .trackOpened(
                        track: track.name, participant: track.participant.name,
                        capability: track.capability))
            case .muted(let track, let isMuted):
                events.send(.trackMuted(track: track.name, isMuted: isMuted))
            case .closed(let track, let moment):
                pipeline.participants.close(track, at: moment)
                events.send(.trackClosed(track: track.name))
            case .left(let member, let moment):
                participants.left(member, at: moment - epoch)
                // At the session's end they hear the rest of it.
                if !isEnding { pipeline.participants.close(member) }
                events.send(.participantLeft(role: instance.role, name: member.participant.name))
            }
        }
        participants.ended(pipeline.participants.finishClosed())
        guard !isEnding else { return }
        endTracks(pipeline.participants.takeEnded())
        guard let call = slots.call, call.instance.lifecycle == .sending, !isAway(call) else {
            return
        }
        let demands = pipeline.participants.takeDemands()
        if !demands.isEmpty { begin(call) { $0.beginDemands(demands) } }
    }

    /// Describes a track to the outputs that are plugins.
    ///
    /// - Parameter kind: What it is; nil for the mix without the participant.
    /// - Returns: Those that have been told of it.
    private mutating func tell(
        of track: OutputTrack, participant: String, kind: SessionRole?
    ) -> [(OutputFeed, PluginInstance)] {
        let told = slots.outputs.filter { output in
            output.instance.lifecycle == .sending && !isAway(output)
                && output.feed?.selection?.has(participant: participant, kind) ?? true
        }
        perform(told) { $0.beginDescribing([track]) }
        return told.compactMap { output in
            output.feed.flatMap { $0.knows(track.id) ? ($0, output.instance) : nil }
        }
    }

    /// Tells the outputs that wanted them that tracks have ended.
    private mutating func endTracks(_ tracks: [UInt32]) {
        guard !tracks.isEmpty else { return }
        for output in slots.outputs {
            guard let feed = output.feed else { continue }
            let wanted = tracks.filter { feed.want(of: $0) != .nothing }
            for track in tracks { feed.end(track) }
            guard !wanted.isEmpty, output.instance.lifecycle == .sending, !isAway(output) else {
                continue
            }
            begin(output) { $0.beginEnding(tracks: wanted) }
        }
    }
}
