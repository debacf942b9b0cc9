import GreenroomDecisions
import GreenroomLifecycle
import GreenroomModel
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

extension SessionPlugins {
    /// Applies the call's changes since the last time: participants join and leave, and their
    /// tracks begin and end.
    mutating func followParticipants(on pipeline: SessionPipeline) {
        // A call that has left has closed all of its tracks.
        guard let instance = slots.callInstance, let roster = instance.roster else { return }
        // The host announces tracks to a restarted call once the call is back.
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
                people[member.participant.number] = member.participant
                pipeline.participants.open(member)
                pipeline.participants.leaveOut(people.values)
            case .opened(let track, let sender):
                pipeline.participants.open(
                    track, sender: sender,
                    isRecorded: !unrecorded.contains(track.participant.number),
                    audioFilters: track.kind.medium == .audio ? audioFilters(for: track.id) : [])
                events.send(
                    .trackOpened(
                        track: track.name, participant: track.participant.name,
                        capability: track.capability))
            case .recorded(let number, let isRecorded):
                if isRecorded { unrecorded.remove(number) } else { unrecorded.insert(number) }
                tellExceptions()
                pipeline.participants.leaveOut(people.values)
                if let person = people[number] {
                    events.send(
                        .note(
                            role: instance.role,
                            text: "\(person.name) is \(isRecorded ? "" : "not ")recorded"))
                }
            case .muted(let track, let isMuted):
                events.send(.trackMuted(track: track.name, isMuted: isMuted))
            case .closed(let track, let moment):
                pipeline.participants.close(track, at: moment)
                events.send(.trackClosed(track: track.name))
            case .left(let member, let moment):
                participants.left(member, at: moment - epoch)
                people[member.participant.number] = nil
                unrecorded.remove(member.participant.number)
                // At the session's end, participants receive the rest of their mix.
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

    /// Reports changed demands for participants' tracks to the call.
    mutating func tellDemands(on pipeline: SessionPipeline) {
        guard let call = callThatHears else { return }
        let (demands, changes) = pipeline.participants.takeDemands(at: clock.now - epoch)
        for (track, record) in changes { events.send(.renegotiated(role: track, record)) }
        if !demands.isEmpty { begin(call) { $0.beginDemands(demands) } }
    }

    /// The call, if it can receive demands now.
    private var callThatHears: SessionPlugin? {
        guard let call = slots.call, call.instance.lifecycle == .sending, !isAway(call),
            !steps.runs(.demand, of: call.instance)
        else { return nil }
        return call
    }

    /// The time at which participants need attention next, on the session clock, unless an event is
    /// posted earlier.
    func nextOfParticipants(on pipeline: SessionPipeline) -> Int64? {
        callThatHears == nil ? nil : pipeline.participants.nextDemand.map { $0 + epoch }
    }

    /// Describes participants' tracks to the outputs that have not received the description in this
    /// life.
    ///
    /// The session does not wait for the answers. A slow output receives descriptions of further
    /// tracks later.
    private mutating func describeNewTracks() {
        for output in slots.takers where mayHearOfTracks(output) {
            guard output.feed?.hasQuestions ?? false, mayWantMore(output) else { continue }
            let tracks = output.feed?.takeQuestions() ?? []
            if !tracks.isEmpty { begin(output) { $0.beginDescribing(tracks, isAll: false) } }
        }
    }

    /// Reports ended tracks to the outputs that wanted these tracks.
    private mutating func endTracks(_ tracks: [UInt32]) {
        for output in slots.takers {
            guard let feed = output.feed else { continue }
            if !tracks.isEmpty { feed.end(tracks) }
            guard feed.owesEnds, mayHearOfTracks(output) else { continue }
            begin(output) { $0.beginEnding() }
        }
    }
}
