import GreenroomModel
import GreenroomAudio
import GreenroomConversion
import GreenroomLifecycle
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo

/// The tracks and outputs of a running session, and their threads.
final class SessionPipeline: Sendable {
    /// A video track.
    struct Video: Sendable {
        var pipeline: VideoPipeline
        var instance: PluginInstance
        /// Whether taps show the track's frames without conversion.
        var hasTaps: Bool

        var track: VideoTrack { pipeline.track }
    }

    /// The audio of a source.
    struct Audio: Sendable {
        var role: String
        var ingest: AudioIngest
        /// The audio behind its filters; nil without filters.
        var filtered: FilteredAudio?

        /// The amount of real audio so far.
        var account: AudioAccount {
            AudioAccount(ingest.statistics.queue, filters: filtered?.counts)
        }
    }

    /// Time limit for outputs to finish after the session's end.
    static let finishNanoseconds: Int64 = 10_000_000_000

    let videoTracks: [Video]
    let audioTracks: [Audio]
    private let audioSinks: [any AudioSink]
    let reports: [ReportFile]
    private let feeds: [OutputFeed]
    private let connections: [OutputConnection]
    private let audioMixer: AudioMixer
    /// The tracks of participants.
    let participants: ParticipantPipelines
    private let hasCall: Bool
    /// Whether the host's own outputs have no media except participants' media.
    private let recordsParticipantsAlone: Bool
    private let audioThread = Monitor<HostThread?>(nil)
    private let events: SessionEvents
    private let timeline: SessionTimeline
    private let clock: SessionClock

    /// Opens every output.
    ///
    /// - Throws: ``OutputError`` if an output cannot be opened.
    init(
        plugins: SessionPlugins, plan: SessionPlan, clock: SessionClock, events: SessionEvents
    ) throws {
        self.events = events
        timeline = SessionTimeline()
        self.clock = clock
        let configuration = plan.configuration
        let duration = configuration.duration?.nanoseconds
        let sources = plugins.slots.sources
        var outputs = OutputBuilder(
            videoTracks: sources.compactMap { source in
                source.videoTrack.flatMap { track in
                    plugins.negotiations.capability(of: source).map { (track, $0) }
                }
            },
            audioTracks: sources.compactMap { source in
                source.role?.medium == .audio ? source.role?.track : nil
            },
            roles: sources.compactMap(\.role),
            hasCall: plugins.slots.outputs.contains { $0.instance.roster != nil },
            duration: duration, clock: clock, events: events)
        // Open outputs with files last. Then a failure of another output leaves no file that blocks
        // the next run.
        let all = configuration.outputs.map(\.output)
        for output in all.filter({ !$0.makesFiles }) + all.filter(\.makesFiles) {
            try output.open(in: &outputs)
        }
        for output in plugins.slots.takers {
            if let feed = output.feed { outputs.connect(feed, output.instance) }
        }
        feeds = plugins.slots.feeds
        connections = outputs.connections

        var (videoTracks, branchCount): ([Video], Int) = ([], 0)
        for source in sources {
            guard let kind = source.videoTrack, let input = source.input, let pool = source.pool,
                let agreed = plugins.negotiations.capability(of: source)
            else { continue }
            let track = VideoTrack(
                kind: kind, agreed: agreed,
                sendsWhenNew: source.instance.descriptor.kind.facts.canPause, input: input,
                pool: pool,
                filters: (source.role.map(plugins.slots.chain) ?? []).map {
                    PreProcessorRunner($0, clock: clock)
                },
                groups: outputs.groups(of: kind), idle: outputs.idleBranches(of: kind),
                taps: outputs.taps(of: kind),
                largest: source.instance.descriptor.kind.facts.canPause
                    ? configuration.maximum.size : nil,
                filterDeadline: configuration.hangDeadline.nanoseconds, duration: duration,
                tell: { events.send(.note(role: kind.rawValue, text: $0)) })
            videoTracks.append(
                Video(
                    pipeline: VideoPipeline(
                        track, wishes: outputs.wants(of: kind), name: kind.rawValue,
                        number: videoTracks.count, firstBranch: branchCount, timeline: timeline,
                        clock: clock, events: events),
                    instance: source.instance,
                    hasTaps: !outputs.taps(of: kind).isEmpty))
            branchCount += track.branches.count
        }
        self.videoTracks = videoTracks
        let filters = AudioFilters(plugins, plan, timeline: timeline, clock: clock)
        var audioTracks: [Audio] = []
        var tracks: [AudioMixer.Track] = []
        for source in plugins.slots.sources {
            guard let ingest = source.instance.audioIngest, let role = source.role else {
                continue
            }
            let filtered = filters.pass(ingest, of: role)
            audioTracks.append(
                Audio(role: source.instance.role, ingest: ingest, filtered: filtered))
            tracks.append(
                AudioMixer.Track(
                    source: filtered ?? ingest, sinks: outputs.audioSinks(of: role.track)))
        }
        self.audioTracks = audioTracks
        audioSinks = outputs.audioSinks
        reports =
            outputs.reports.isEmpty
            ? plan.reportPath.map { [ReportFile(path: $0)] } ?? [] : outputs.reports
        audioMixer = AudioMixer(
            tracks: tracks, mixSinks: outputs.mixSinks + filters.referenceSinks,
            delayFrames: filters.delayFrames, clock: clock, changed: events.wake)
        if let duration { audioMixer.finish(at: duration) }
        hasCall = outputs.hasCall
        recordsParticipantsAlone =
            plugins.slots.sources.isEmpty && all.contains { $0.plugin == nil }
        participants = ParticipantPipelines(
            outputs: all, connections: connections, feeds: feeds, mixer: audioMixer,
            timeline: timeline, clock: clock, events: events,
            filterDeadline: configuration.hangDeadline.nanoseconds, filters: filters)
    }

    /// Changes the level or the delay of a source's audio.
    ///
    /// - Returns: Whether the session has the source.
    func adjust(_ role: SessionRole, _ change: (inout AudioAdjustment) -> Void) -> Bool {
        guard let audio = audioTracks.first(where: { $0.role == role.rawValue }) else {
            return false
        }
        audioMixer.adjust(audio.filtered ?? audio.ingest, change)
        return true
    }

    /// Changes the level or the delay of a track or mix for an output plugin.
    ///
    /// - Returns: Whether the output can receive the track.
    func adjust(
        _ plugin: Int, _ track: String, _ change: (inout AudioAdjustment) -> Void
    ) -> Bool {
        guard let id = SessionTrack(name: track)?.id,
            let sink = connections.first(where: { $0.plugin == plugin })?.audioSink(of: id)
        else { return false }
        audioMixer.adjust(sink, change)
        return true
    }

    /// The report entries of audio sinks, in the order of the outputs. Entries of participants
    /// follow.
    var outputReports: [OutputReport] {
        let mix = MixStatistics(clampedSamples: audioMixer.clampedSamples)
        return (audioSinks + participants.sinks).compactMap { $0.report(of: mix) }
            + feeds.map(\.outputReport)
    }

    /// The start of the session's timeline, on the session clock.
    var epoch: Int64 { timeline.epoch }

    /// Whether there were outputs and all have failed. An output that has ended normally has not
    /// failed.
    ///
    /// - Parameter failed: The numbers of plugins that count as failed, in addition to plugins that
    ///   the session has dropped.
    func hasLostEveryOutput(without failed: Set<Int> = []) -> Bool {
        guard !recordsParticipantsAlone else { return false }
        // This runs often, so avoid arrays.
        var isAnyLost = false
        for video in videoTracks {
            for branch in video.track.branches where branch.plugin < 0 && branch.form != nil {
                guard branch.failure != nil else { return false }
                isAnyLost = true
            }
        }
        for sink in audioSinks where !sink.isOfPlugin {
            switch sink.health {
            case .working: return false
            case .failed: isAnyLost = true
            case .passive: break
            }
        }
        for feed in feeds where !feed.hasFinished && !feed.isComposer {
            guard failed.contains(feed.plugin) || isLost(feed) else { return false }
            isAnyLost = true
        }
        return isAnyLost
    }

    /// Whether an output plugin receives no further media.
    private func isLost(_ feed: OutputFeed) -> Bool {
        guard !feed.hasLeft else { return true }
        var hasFailed = false
        for video in videoTracks {
            for branch in video.track.branches where branch.plugin == feed.plugin {
                if branch.failure != nil {
                    hasFailed = true
                } else if branch.form != nil, !branch.isResting {
                    return false
                }
            }
        }
        return hasFailed && !feed.wantsAudio
    }

    /// Starts the session's timeline and the threads that follow it.
    func begin(at epoch: Int64) {
        timeline.begin(at: epoch)
        for feed in feeds { feed.begin(epoch: epoch) }
        for video in videoTracks { video.pipeline.begin() }
        guard !audioTracks.isEmpty || hasCall else { return }
        for audio in audioTracks { audio.ingest.begin(epoch: epoch) }
        let audioMixer = audioMixer
        let thread = HostThread(name: "audio", clock: clock, as: ClockOrder(part: .audio)) {
            audioMixer.run(epoch: epoch)
        }
        audioThread.change { $0 = thread }
    }

    /// Applies changed demands of output plugins.
    func followWants() {
        audioMixer.changing {
            for connection in connections {
                for (track, change) in connection.follow() {
                    video(track)?.change(change)
                }
            }
        }
        participants.releaseAnswered()
    }

    /// The video of a source; nil for a source of audio.
    func video(of source: SessionPlugin) -> Video? {
        videoTracks.first { $0.instance === source.instance }
    }

    /// Returns the video track with a number.
    private func video(_ track: UInt32) -> VideoPipeline? {
        videoTracks.first { $0.track.kind.videoID == track }?.pipeline ?? participants.video(track)
    }

    /// Returns the amount of real media in each track up to a session time, by the role of its
    /// source.
    func accounts(at nanoseconds: Int64) -> [(role: String, account: RealWatch.Account)] {
        videoTracks.map { ($0.instance.role, .video($0.track.account(at: nanoseconds))) }
            + audioTracks.map { ($0.role, .audio($0.account)) }
    }

    /// Delays a track.
    ///
    /// - Returns: Whether the session has the track.
    func delay(_ kind: VideoTrackKind, by nanoseconds: Int64) -> Bool {
        let video = videoTracks.first { $0.track.kind == kind }
        video?.track.delay(by: nanoseconds)
        return video != nil
    }

    /// Makes a track black until its next frame.
    func showBlack(on kind: VideoTrackKind) {
        videoTracks.first { $0.track.kind == kind }?.track.showBlack()
    }

    /// Records that a track's source owes frames again.
    func setStarted(on kind: VideoTrackKind) {
        videoTracks.first { $0.track.kind == kind }?.track.setStarted()
    }

    /// Shows a slate on a track until its next frame.
    ///
    /// - Parameter moment: The time of the slate, on the session clock. A frame before that cancels
    ///   the slate.
    func showSlate(of kind: VideoTrackKind, _ text: SlateText, at moment: Int64) {
        videoTracks.first { $0.track.kind == kind }?.track.showSlate(text, at: moment)
    }

    /// Limits all video to a session time, in accounts and outputs.
    ///
    /// - Returns: The end of all video: later than `nanoseconds` if a track has a frame for a later
    ///   time.
    func limit(to nanoseconds: Int64) -> Int64 {
        participants.limitVideo(to: nanoseconds)
        return videoTracks.map { $0.track.limit(to: nanoseconds) }.reduce(nanoseconds, max)
    }

    /// Ends the audio at a session time; audio due until then is still delivered.
    ///
    /// - Parameter nanoseconds: The time since the session's start.
    func finishAudio(at nanoseconds: Int64) {
        audioMixer.finish(at: nanoseconds)
    }

    /// Ends all tracks and branches at a session time, and waits for the audio's end.
    ///
    /// - Parameter nanoseconds: The time since the session's start.
    func finish(at nanoseconds: Int64) {
        let deadline = clock.host.deadline(after: Self.finishNanoseconds)
        for video in videoTracks {
            video.track.input.close()
            video.pipeline.joinTrack(until: deadline)
            for branch in video.track.branches { branch.finish(at: nanoseconds) }
        }
        participants.finishVideo(at: nanoseconds)
        // Join only after this: the virtual clock stands still until every branch has its end, so
        // that the branches' progress is deterministic.
        clock.idling { joinOutputs(until: deadline) }
    }

    private var allBranches: [VideoBranch] {
        videoTracks.flatMap(\.track.branches) + participants.all.flatMap(\.branches)
    }

    /// Ends the branches of output plugins that the session has dropped.
    ///
    /// - Parameter stuck: The numbers of plugins with a hung call that the host cannot end.
    func abandonLostOutputs(orStuck stuck: [Int]) {
        if !stuck.isEmpty {
            for branch in allBranches where stuck.contains(branch.plugin) {
                branch.abandon(because: "hangs in a call of the host's process")
            }
        }
        guard feeds.contains(where: { $0.hasLeft && !$0.hasFinished }) else { return }
        for branch in allBranches
        where branch.plugin >= 0 && branch.failure == nil && branch.form != nil {
            let feed = feeds.first { $0.plugin == branch.plugin }
            guard let feed, feed.hasLeft, !feed.hasFinished else { continue }
            branch.abandon(because: "the session continues without \(feed.name)")
        }
    }

    /// Passes the rest of the audio to output plugins, before they are stopped.
    func finishPluginSinks() {
        clock.idling {
            let deadline = clock.host.deadline(after: Self.finishNanoseconds)
            for sink in audioSinks + participants.sinks where sink.isOfPlugin {
                sink.finish(until: deadline)
            }
        }
    }

    /// Reports outputs that received frames and could show none of them.
    func tellOfEmptyOutputs() {
        for branch in videoTracks.flatMap(\.track.branches) {
            let counts = branch.counts
            guard counts.delivered == 0, counts.unconvertible > 0, branch.failure == nil else {
                continue
            }
            events.sendFailed(
                branch,
                because: "none of \(counts.unconvertible) frames fit the size of the output")
        }
    }

    private func joinOutputs(until deadline: Int64) {
        for video in videoTracks { video.pipeline.joinBranches(until: deadline) }
        participants.joinVideo(until: deadline)
        audioThread.withLock { $0 }?.join(until: deadline, on: clock.host)
        for audio in audioTracks { audio.filtered?.close() }
    }

    /// Finishes the audio outputs, all within one deadline.
    func finishOutputs() {
        clock.idling { endOutputs() }
    }

    private func endOutputs() {
        let deadline = clock.host.deadline(after: Self.finishNanoseconds)
        // Finish files first, because files were opened last. A slow device must not delay them.
        for sink in (audioSinks + participants.sinks).reversed() where !sink.isOfPlugin {
            sink.finish(until: deadline)
        }
    }
}
