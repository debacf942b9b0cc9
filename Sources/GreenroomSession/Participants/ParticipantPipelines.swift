import GreenroomModel
import GreenroomAudio
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The tracks of participants in a running session. Tracks begin and end while the session runs.
///
/// Threads: the session's, except ``all``, which reports use on any thread.
final class ParticipantPipelines: Sendable {
    private struct State {
        /// The open tracks, in the order of opening.
        var open: [ParticipantPipeline] = []
        /// The sinks of the mix without each participant, by the participant's number.
        var mixes: [UInt32: [any AudioSink]] = [:]
        /// Sinks of ended tracks, which still write their last audio.
        var finishing: [any AudioSink] = []
        /// The numbers of ended tracks and mixes whose outputs have received all media.
        var ended: [UInt32] = []
        /// Video tracks whose frames wait until every output has reported its demand for them.
        var held: [ParticipantPipeline] = []
        /// The levels and delays of participants' audio, by their names.
        var adjustments: [String: AudioAdjustment] = [:]
        /// The delays of participants' video by name, in nanoseconds.
        var videoDelays: [String: Int64] = [:]
        /// The last demand for each track, by its sender.
        var demands: [UInt64: Demand] = [:]
        /// The time of the last demand check, in nanoseconds of session time.
        var looked: Int64 = -1
    }

    /// Time limit for outputs' answers, before the host reports a track without demand to the call.
    private static let settlingNanoseconds: Int64 = 1_000_000_000

    /// The delay of a new track's frames while outputs answer. Frames still arrive in time at
    /// outputs that need no question.
    private static let holdNanoseconds = SessionTimeline.playoutDelay / 2

    private let outputs: [any HostOutput]
    private let connections: [OutputConnection]
    private let feeds: [OutputFeed]
    private let mixer: AudioMixer
    private let timeline: SessionTimeline
    private let clock: SessionClock
    private let events: SessionEvents
    private let filterDeadline: Int64
    private let filters: AudioFilters
    private let state = Monitor(State())

    /// - Parameters:
    ///   - outputs: The session's outputs.
    ///   - connections: The connections of the outputs that are plugins.
    init(
        outputs: [any HostOutput], connections: [OutputConnection], feeds: [OutputFeed],
        mixer: AudioMixer, timeline: SessionTimeline, clock: SessionClock,
        events: SessionEvents, filterDeadline: Int64, filters: AudioFilters
    ) {
        self.outputs = outputs
        self.connections = connections
        self.feeds = feeds
        self.mixer = mixer
        self.timeline = timeline
        self.clock = clock
        self.events = events
        self.filterDeadline = filterDeadline
        self.filters = filters
    }

    /// The tracks that are open, or whose outputs are not finished. [any]
    var all: [ParticipantPipeline] { state.withLock { $0.open } }

    /// Sinks of audio that may still be writing. [any]
    var sinks: [any AudioSink] {
        state.withLock { state in
            state.open.flatMap(\.sinks)
                + state.mixes.sorted { $0.key < $1.key }.flatMap(\.value)
                + state.finishing
        }
    }

    // MARK: Tracks

    /// Returns the open video track with a number; nil if there is none.
    func video(_ track: UInt32) -> VideoPipeline? {
        let found = all.first { $0.track.id == track && !$0.isClosed }
        if case .video(_, let video)? = found?.medium { return video }
        return nil
    }

    /// Connects a track to the outputs, and starts the track's threads. Plugins receive no media of
    /// the track before they report a demand.
    ///
    /// - Parameters:
    ///   - isRecorded: Whether the host's own recordings may have the track.
    ///   - audioFilters: The filters of the track's audio, in order.
    func open(
        _ track: ParticipantTrack, sender: UInt64, isRecorded: Bool,
        audioFilters: [PluginInstance]
    ) {
        // The track begins with the 10 ms of audio that contain its opening.
        let stretch = AudioMixer.stretchNanoseconds
        let start = max(timeline.time(of: track.opened), 0) / stretch * stretch
        var connected = ParticipantOutputs(track, clock: clock, events: events)
        for output in outputs
        where !output.except.contains(track.participant.name)
            && (isRecorded || !output.makesFiles)
        {
            do throws(OutputError) {
                try output.open(track, in: &connected)
            } catch {
                events.sendFailed(
                    output: error.place, reason: error.explanation, isRecording: output.makesFiles)
            }
        }
        let taking = connections.filter { $0.opens(track.described) }
        let medium: ParticipantPipeline.Medium
        switch track.source {
        case .video(let ingest, let input, let pool, let capability):
            for connection in taking {
                connected.connect(
                    connection.branch(of: track.id, name: track.name, start: start, clock: clock))
            }
            if !hasAnswers(about: track) {
                input.hold(until: timeline.epoch + start + Self.holdNanoseconds)
            }
            let video = VideoTrack(
                kind: track.kind.track, agreed: capability,
                sendsWhenNew: track.kind.kind.facts.canPause, isOfParticipant: true, input: input,
                pool: pool, filters: [], groups: connected.branches.groups,
                idle: connected.branches.idle, largest: nil,
                filterDeadline: filterDeadline,
                tell: { [events] in events.send(.note(role: track.name, text: $0)) })
            let delay = state.withLock { $0.videoDelays[track.participant.name] }
            if let delay { video.delay(by: delay) }
            let own = SessionTimeline()
            own.begin(at: timeline.epoch + start)
            let number = 1000 + Int(track.id)
            medium = .video(
                ingest,
                VideoPipeline(
                    video, wishes: connected.branches.wants, name: track.name, number: number,
                    firstBranch: 1000 * number, timeline: own, clock: clock, events: events))
        case .audio(let ingest):
            var filtered: FilteredAudio?
            mixer.add(at: start) { [timeline] begin in
                // Sinks start at the position at which the track begins.
                for connection in taking {
                    connected.connect(connection.sink(of: track.id, start: begin))
                }
                ingest.begin(epoch: timeline.epoch + begin)
                filtered = filters.pass(ingest, through: audioFilters, from: begin)
                return AudioMixer.Track(
                    source: filtered ?? ingest, sinks: connected.sinks,
                    participant: track.participant.number)
            }
            let adjustment = state.withLock { $0.adjustments[track.participant.name] }
            if let adjustment { mixer.adjust(filtered ?? ingest) { $0 = adjustment } }
            medium = .audio(ingest, filtered: filtered, sinks: connected.sinks)
            demand(for: ingest, connected.sinks, of: track)
        }
        let pipeline = ParticipantPipeline(
            track, sender: sender, start: start, medium: medium)
        pipeline.begin()
        state.withLock { state in
            state.open.append(pipeline)
            if !pipeline.branches.isEmpty { state.held.append(pipeline) }
        }
    }

    /// Whether every output has the media that it requested of a track.
    private func hasAnswers(about track: ParticipantTrack) -> Bool {
        connections.allSatisfy { $0.hasFollowed(track.id) }
    }

    /// Releases the first frames of tracks about which every output has answered.
    func releaseAnswered() {
        let held = state.withLock { $0.held }
        guard !held.isEmpty else { return }
        let answered = held.filter { $0.isClosed || hasAnswers(about: $0.track) }
        for pipeline in answered { pipeline.release() }
        state.withLock { state in
            state.held.removeAll { pipeline in answered.contains { $0 === pipeline } }
        }
    }

    /// Ends a track. Media sent before is still delivered.
    ///
    /// - Parameter moment: The time of the end, on the session clock.
    func close(_ track: ParticipantTrack, at moment: Int64) {
        guard let pipeline = all.first(where: { $0.track === track }) else { return }
        for connection in connections { connection.close(track.id) }
        let end = max(timeline.time(of: moment), pipeline.start)
        pipeline.close(at: end)
        if case .audio(let ingest, let filtered, _) = pipeline.medium {
            mixer.end(filtered ?? ingest, at: end)
        }
    }

    /// Removes and returns closed tracks whose media has ended. Their outputs may still write
    /// queued media.
    func finishClosed() -> [ParticipantPipeline] {
        let candidates = all.filter(\.isClosed)
        guard !candidates.isEmpty else { return [] }
        let ended = candidates.filter { pipeline in
            switch pipeline.medium {
            case .video(_, let video): video.hasEnded
            case .audio(let ingest, let filtered, _): !mixer.has(filtered ?? ingest)
            }
        }
        guard !ended.isEmpty else { return [] }
        state.withLock { state in
            state.open.removeAll { pipeline in ended.contains { $0 === pipeline } }
            for pipeline in ended { state.demands[pipeline.sender] = nil }
        }
        for pipeline in ended {
            if case .audio(_, let filtered, _) = pipeline.medium { filtered?.close() }
            finish(pipeline.sinks, of: pipeline.track.id)
        }
        return ended
    }

    /// Lets sinks write their queued audio, without waiting for them.
    ///
    /// - Parameter track: The number of the sinks' track, which ends after that.
    private func finish(_ sinks: [any AudioSink], of track: UInt32) {
        guard !sinks.isEmpty else {
            state.withLock { $0.ended.append(track) }
            return
        }
        for sink in sinks { sink.beginFinish() }
        state.withLock { $0.finishing += sinks }
        // A slow disk or plugin must not delay the session.
        _ = HostThread(name: "finishing", clock: clock) { [state, events, clock] in
            let deadline = clock.host.deadline(after: SessionPipeline.finishNanoseconds)
            for sink in sinks { sink.finish(until: deadline) }
            state.withLock { state in
                state.finishing.removeAll { sink in sinks.contains { $0 === sink } }
                state.ended.append(track)
            }
            events.wake()
        }
    }

    /// Removes and returns the numbers of ended tracks and mixes whose outputs have received all
    /// media.
    func takeEnded() -> [UInt32] {
        state.withLock { state in
            guard !state.ended.isEmpty else { return [] }
            defer { state.ended = [] }
            return state.ended
        }
    }

    // MARK: Mixes

    /// Connects the mix without a participant to the outputs that are plugins.
    func open(_ member: CallRoster.Member) {
        var sinks: [any AudioSink] = []
        let joined = timeline.time(of: member.joined)
        for connection in connections where connection.opens(member.describedMix) {
            // The sink starts at the position at which it is connected.
            mixer.add(to: .without(member.participant.number), at: joined) { start in
                let sink = connection.sink(of: member.mixTrack, start: start)
                sinks.append(sink)
                return sink
            }
        }
        guard !sinks.isEmpty else { return }
        state.withLock { $0.mixes[member.participant.number] = sinks }
    }

    /// The most names with a level or a delay.
    private static let adjustmentLimit = 1000

    /// Changes the level or the delay of the audio of the participants with a name, including those who
    /// join later.
    ///
    /// - Returns: Whether the host keeps it.
    func adjust(_ name: String, _ change: (inout AudioAdjustment) -> Void) -> Bool {
        let open = state.withLock { state -> [ParticipantPipeline]? in
            guard state.adjustments[name] != nil || state.adjustments.count < Self.adjustmentLimit
            else { return nil }
            change(&state.adjustments[name, default: AudioAdjustment()])
            return state.open
        }
        guard let open else { return false }
        for pipeline in open where pipeline.track.participant.name == name {
            guard case .audio(let ingest, let filtered, _) = pipeline.medium else { continue }
            mixer.adjust(filtered ?? ingest, change)
        }
        return true
    }

    /// Delays the video of the participants with a name, including those who join later.
    ///
    /// - Returns: Whether the host keeps it.
    func delayVideo(of name: String, by nanoseconds: Int64) -> Bool {
        let open = state.withLock { state -> [ParticipantPipeline]? in
            guard state.videoDelays[name] != nil || state.videoDelays.count < Self.adjustmentLimit
            else { return nil }
            state.videoDelays[name] = nanoseconds
            return state.open
        }
        guard let open else { return false }
        for pipeline in open where pipeline.track.participant.name == name {
            if case .video(_, let video) = pipeline.medium { video.track.delay(by: nanoseconds) }
        }
        return true
    }

    /// Leaves people out of the mixes of the outputs that leave them out, from now on.
    func leaveOut(_ people: some Collection<OutputTrack.Participant>) {
        for connection in connections {
            mixer.leaveOut(
                Set(people.filter(connection.leavesOut).map(\.number)), of: connection.audioSinks,
                at: timeline.time(of: clock.now))
        }
    }

    /// Ends the mix without a participant who has left.
    func close(_ member: CallRoster.Member) {
        for connection in connections { connection.close(member.mixTrack) }
        mixer.remove(.without(member.participant.number))
        let sinks = state.withLock { $0.mixes.removeValue(forKey: member.participant.number) }
        finish(sinks ?? [], of: member.mixTrack)
    }

    // MARK: Demand

    /// Returns the changed demands for open tracks.
    ///
    /// - Parameter nanoseconds: Session time.
    /// - Returns: The demands, and the records of video demands that changed after their first.
    func takeDemands(
        at nanoseconds: Int64
    ) -> (demands: [Demand], changes: [(track: String, record: NegotiationRecord)]) {
        var demands: [Demand] = []
        var changes: [(track: String, record: NegotiationRecord)] = []
        for pipeline in all where !pipeline.isClosed {
            let (track, sender) = (pipeline.track.id, pipeline.sender)
            // A restarting output that has not answered does not delay the demand of other outputs.
            let isSettled =
                nanoseconds - pipeline.start > Self.settlingNanoseconds
                || !feeds.contains { $0.owesAnswer(about: track) }
            var demand = Demand(sender: sender, isWanted: false, capability: nil)
            switch pipeline.medium {
            case .video(_, let video):
                let outputs =
                    video.wants.map { OutputDemand(want: $0) }
                    + feeds.compactMap { $0.demand(of: track) }
                demand.isWanted = !outputs.isEmpty
                guard demand.isWanted else { break }
                let (capability, record) = pipeline.negotiate(
                    outputs, isSettled: isSettled, at: nanoseconds)
                demand.capability = capability
                if let record, record.reason != .initial {
                    changes.append((pipeline.track.name, record))
                }
            case .audio(let ingest, _, let sinks):
                demand.isWanted = self.demand(for: ingest, sinks, of: pipeline.track)
            }
            // Do not report a track as unwanted while an output has not answered.
            if demand.isWanted || isSettled { demands.append(demand) }
        }
        let news = state.withLock { state in
            state.looked = nanoseconds
            let news = demands.filter { state.demands[$0.sender] != $0 }
            for demand in news { state.demands[demand.sender] = demand }
            return news
        }
        return (news, changes)
    }

    /// The time of the next demand that may change without an event, in nanoseconds of session
    /// time.
    var nextDemand: Int64? {
        let looked = state.withLock { $0.looked }
        return all.filter { !$0.isClosed }.flatMap { pipeline in
            [pipeline.negotiator?.wake, pipeline.start + Self.settlingNanoseconds + 1]
        }.compactMap(\.self).filter { $0 > looked }.min()
    }

    /// The records that explain the current requests for open video tracks.
    var explanations: [(track: String, record: NegotiationRecord)] {
        all.filter { !$0.isClosed }.compactMap { pipeline in
            pipeline.negotiator?.current.map { (pipeline.track.name, $0) }
        }
    }

    /// The number that pauses audio without a demand. No plugin has this number.
    private static let pauser = -1

    /// Returns whether an output receives a track's audio. Pauses audio that no output receives, so that
    /// none is owed.
    @discardableResult
    private func demand(
        for ingest: AudioIngest, _ sinks: [any AudioSink], of track: ParticipantTrack
    ) -> Bool {
        let isWanted =
            sinks.contains { !$0.isIdle } || mixer.mixes(participant: track.participant.number)
        ingest.pause(!isWanted, by: Self.pauser)
        return isWanted
    }

    // MARK: Termination

    /// Limits all video to a session time, in accounts and outputs.
    func limitVideo(to nanoseconds: Int64) {
        for pipeline in all where !pipeline.isClosed { pipeline.limit(to: nanoseconds) }
    }

    /// Ends all video tracks at a session time. Audio tracks end with the mixer.
    func finishVideo(at nanoseconds: Int64) {
        for pipeline in all { pipeline.close(at: max(nanoseconds, pipeline.start)) }
    }

    /// Waits for the threads of video.
    func joinVideo(until deadline: Int64) {
        for pipeline in all { pipeline.join(until: deadline) }
    }
}
