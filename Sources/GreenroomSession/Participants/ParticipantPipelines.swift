import GreenroomEvents
import GreenroomAudio
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// The tracks of participants in a running session: they begin and end while it runs.
///
/// Threads: the session's, except ``all``, which is for reports on any.
final class ParticipantPipelines: Sendable {
    private struct State {
        /// In the order of their opening.
        var open: [ParticipantPipeline] = []
        /// The outputs of the mix without each participant, by their number.
        var mixes: [UInt32: [any AudioSink]] = [:]
        /// Sinks of tracks that have ended, which are still finishing.
        var finishing: [any AudioSink] = []
        /// The numbers of tracks and mixes that have ended, and whose outputs have all of them.
        var ended: [UInt32] = []
        /// Tracks of video whose frames wait until the outputs have said what they take of them.
        var held: [ParticipantPipeline] = []
        /// The last demand for each track, by its sender.
        var demands: [UInt64: Demand] = [:]
        /// When demands were looked at last, in nanoseconds of session time.
        var looked: Int64 = -1
    }

    /// How long a track waits for outputs' answers before the call learns that it is unwanted.
    private static let settlingNanoseconds: Int64 = 1_000_000_000

    /// How long frames of a track that begins wait for the answers of outputs: so that they still show
    /// in time on the outputs that need not be asked.
    private static let holdNanoseconds = SessionTimeline.playoutDelay / 2

    private let outputs: [any Output]
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
    ///   - outputs: Those of the session.
    ///   - connections: Of those that are plugins.
    init(
        outputs: [any Output], connections: [OutputConnection], feeds: [OutputFeed],
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

    /// The video track of a number, while it is open.
    func video(_ track: UInt32) -> VideoPipeline? {
        let found = all.first { $0.track.id == track && !$0.isClosed }
        if case .video(_, let video)? = found?.medium { return video }
        return nil
    }

    /// Connects a track to the outputs, and starts its threads. Plugins take nothing of it before
    /// they have said what they want.
    ///
    /// - Parameter audioFilters: The filters of its audio, in order.
    func open(_ track: ParticipantTrack, sender: UInt64, audioFilters: [PluginInstance]) {
        // The track begins with the 10 ms of audio in which it was opened.
        let stretch = AudioMixer.stretchNanoseconds
        let start = max(timeline.time(of: track.opened), 0) / stretch * stretch
        var connected = ParticipantOutputs(track, clock: clock, events: events)
        for output in outputs {
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
                // The sinks are made for the position at which the track begins.
                for connection in taking {
                    connected.connect(connection.sink(of: track.id, start: begin))
                }
                ingest.begin(epoch: timeline.epoch + begin)
                filtered = filters.pass(ingest, through: audioFilters, from: begin)
                return AudioMixer.Track(
                    source: filtered ?? ingest, sinks: connected.sinks,
                    participant: track.participant.number)
            }
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

    /// Whether every output gets what it wants of a track.
    private func hasAnswers(about track: ParticipantTrack) -> Bool {
        connections.allSatisfy { $0.hasFollowed(track.id) }
    }

    /// Lets the first frames of the tracks pass about which every output has answered.
    func releaseAnswered() {
        let held = state.withLock { $0.held }
        guard !held.isEmpty else { return }
        let answered = held.filter { $0.isClosed || hasAnswers(about: $0.track) }
        for pipeline in answered { pipeline.release() }
        state.withLock { state in
            state.held.removeAll { pipeline in answered.contains { $0 === pipeline } }
        }
    }

    /// Ends a track; what was sent before is still delivered.
    ///
    /// - Parameter moment: On the session clock.
    func close(_ track: ParticipantTrack, at moment: Int64) {
        guard let pipeline = all.first(where: { $0.track === track }) else { return }
        for connection in connections { connection.close(track.id) }
        let end = max(timeline.time(of: moment), pipeline.start)
        pipeline.close(at: end)
        if case .audio(let ingest, let filtered, _) = pipeline.medium {
            mixer.end(filtered ?? ingest, at: end)
        }
    }

    /// Removes the tracks that were closed and are carried no more; their outputs may still be
    /// writing what they have.
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

    /// Whether a track was closed that has not ended: the end of its threads, and of its audio in the mix, wakes
    /// nobody.
    var hasEnding: Bool { all.contains(where: \.isClosed) }

    /// Lets sinks write what they have, without waiting for them.
    ///
    /// - Parameter track: The number of their track, which has ended then.
    private func finish(_ sinks: [any AudioSink], of track: UInt32) {
        guard !sinks.isEmpty else {
            state.withLock { $0.ended.append(track) }
            return
        }
        for sink in sinks { sink.beginFinish() }
        state.withLock { $0.finishing += sinks }
        // A slow disk or plugin must not hold up the session.
        _ = HostThread(name: "finishing") { [state, events, clock] in
            let deadline = clock.host.deadline(after: SessionPipeline.finishNanoseconds)
            for sink in sinks { sink.finish(until: deadline) }
            state.withLock { state in
                state.finishing.removeAll { sink in sinks.contains { $0 === sink } }
                state.ended.append(track)
            }
            events.wake()
        }
    }

    /// The numbers of the tracks and mixes that have ended since the last time, and whose outputs have
    /// all of them.
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
            // The sink is made for the position at which it is connected.
            mixer.add(to: .without(member.participant.number), at: joined) { start in
                let sink = connection.sink(of: member.mixTrack, start: start)
                sinks.append(sink)
                return sink
            }
        }
        guard !sinks.isEmpty else { return }
        state.withLock { $0.mixes[member.participant.number] = sinks }
    }

    /// Ends the mix without a participant who has left.
    func close(_ member: CallRoster.Member) {
        for connection in connections { connection.close(member.mixTrack) }
        mixer.remove(.without(member.participant.number))
        let sinks = state.withLock { $0.mixes.removeValue(forKey: member.participant.number) }
        finish(sinks ?? [], of: member.mixTrack)
    }

    // MARK: Demand

    /// What has changed in what is needed of the open tracks.
    ///
    /// - Parameter nanoseconds: Session time.
    /// - Returns: The demands, and why those of video tracks have changed since their first.
    func takeDemands(
        at nanoseconds: Int64
    ) -> (demands: [Demand], changes: [(track: String, record: NegotiationRecord)]) {
        var demands: [Demand] = []
        var changes: [(track: String, record: NegotiationRecord)] = []
        for pipeline in all where !pipeline.isClosed {
            let (track, sender) = (pipeline.track.id, pipeline.sender)
            // A restarting output that has answered nothing yet does not hold back the others' demand.
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
            // What no output has wanted so far, one that has not answered may want.
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

    /// When a demand may change by itself, in nanoseconds of session time.
    var nextDemand: Int64? {
        let looked = state.withLock { $0.looked }
        return all.filter { !$0.isClosed }.flatMap { pipeline in
            [pipeline.negotiator?.wake, pipeline.start + Self.settlingNanoseconds + 1]
        }.compactMap(\.self).filter { $0 > looked }.min()
    }

    /// Why the call is asked for each open track of video as it is.
    var explanations: [(track: String, record: NegotiationRecord)] {
        all.filter { !$0.isClosed }.compactMap { pipeline in
            pipeline.negotiator?.current.map { (pipeline.track.name, $0) }
        }
    }

    /// Pauses audio that no output takes, in place of a plugin: a number that no plugin has.
    private static let pauser = -1

    /// Finds out whether an output takes audio. Audio that no output wants is not owed.
    @discardableResult
    private func demand(
        for ingest: AudioIngest, _ sinks: [any AudioSink], of track: ParticipantTrack
    ) -> Bool {
        let isWanted =
            sinks.contains { !$0.isIdle } || mixer.mixes(participant: track.participant.number)
        ingest.pause(!isWanted, by: Self.pauser)
        return isWanted
    }

    // MARK: The end

    /// Lets no video run on after a session time, in accounts and outputs.
    func limitVideo(to nanoseconds: Int64) {
        for pipeline in all where !pipeline.isClosed { pipeline.limit(to: nanoseconds) }
    }

    /// Ends all tracks of video at a session time; those of audio end with the mixer.
    func finishVideo(at nanoseconds: Int64) {
        for pipeline in all { pipeline.close(at: max(nanoseconds, pipeline.start)) }
    }

    /// Waits for the threads of video.
    func joinVideo(until deadline: Int64) {
        for pipeline in all { pipeline.join(until: deadline) }
    }
}
