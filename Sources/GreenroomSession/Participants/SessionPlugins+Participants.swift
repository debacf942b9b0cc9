import GreenroomLifecycle
import GreenroomEvents
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
                pipeline.participants.open(member)
            case .opened(let track, let sender):
                pipeline.participants.open(
                    track, sender: sender,
                    audioFilters: track.kind.medium == .audio ? audioFilters(for: track.id) : [])
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
        let ended = pipeline.participants.finishClosed()
        participants.ended(ended)
        if !isEnding { for pipeline in ended { endAudioFilters(of: pipeline.track.id) } }
        guard !isEnding else { return }
        endTracks(pipeline.participants.takeEnded())
        describeNewTracks()
    }

    /// Says to the call what is needed of its participants' tracks, where that has changed.
    mutating func tellDemands(on pipeline: SessionPipeline) {
        guard let call = callThatHears else { return }
        let (demands, changes) = pipeline.participants.takeDemands(at: clock.now - epoch)
        for (track, record) in changes { events.send(.renegotiated(role: track, record)) }
        if !demands.isEmpty { begin(call) { $0.beginDemands(demands) } }
    }

    /// The call, if it can be told of demands now.
    private var callThatHears: SessionPlugin? {
        guard let call = slots.call, call.instance.lifecycle == .sending, !isAway(call),
            !steps.runs(.demand, of: call.instance)
        else { return nil }
        return call
    }

    /// When participants need attention next, if nothing is posted before, on the session clock.
    func nextOfParticipants(on pipeline: SessionPipeline) -> Int64? {
        let demand = callThatHears == nil ? nil : pipeline.participants.nextDemand
        return SessionDue.earlier(
            demand.map { $0 + epoch },
            pipeline.participants.hasEnding
                ? clock.now + SessionDue.retryNanoseconds : nil)
    }

    /// Describes tracks of participants to the outputs that have not heard of them in this life.
    ///
    /// The session does not wait for the answers: an output that is slow hears of further tracks later.
    private mutating func describeNewTracks() {
        for output in slots.takers where mayHearOfTracks(output) {
            guard output.feed?.hasQuestions ?? false, mayWantMore(output) else { continue }
            let tracks = output.feed?.takeQuestions() ?? []
            if !tracks.isEmpty { begin(output) { $0.beginDescribing(tracks, isAll: false) } }
        }
    }

    /// Tells the outputs that wanted them that tracks have ended.
    private mutating func endTracks(_ tracks: [UInt32]) {
        for output in slots.takers {
            guard let feed = output.feed else { continue }
            if !tracks.isEmpty { feed.end(tracks) }
            guard feed.owesEnds, mayHearOfTracks(output) else { continue }
            begin(output) { $0.beginEnding() }
        }
    }
}
