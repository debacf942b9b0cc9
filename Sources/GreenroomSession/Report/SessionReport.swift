package import GreenroomAudio
import GreenroomConversion
public import GreenroomLifecycle
public import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomModel
import GreenroomRuntime
package import GreenroomVideo

/// The report of a session: `session.json`.
///
/// Counters add up, always and exactly. For each video track:
///
/// - `sent` = `accepted` + all of `refused`;
/// - `accepted` = `superseded` + `discarded` + `queued` + `overRate` + `unconvertible` +
///   `lostInFilter` + `withheld` + `carried`;
///
/// and for each of its outputs:
///
/// - the track's `carried` = `delivered` + `excess` + `queueFull` + `beforeStart` + `afterEnd` + `unwanted` +
///   `unconvertible` + `failed` + `queued`;
/// - frames in it = `delivered` + `repeated` + `black` + `slate`.
///
/// For each audio source, `sent` = `accepted` + all of `refused`; `frames` = `played` + `beforeStart` + `cut` +
/// `queued`; and the time of the recording = `played` + `concealed` + `idle` + `muted`.
///
/// In the report of a running session, frames in progress may be missing or counted twice.
public struct SessionReport: Sendable {
    /// How a session ended.
    public enum Outcome: String, Codable, CustomStringConvertible, Sendable {
        /// It runs, or the host was killed.
        case running
        /// As planned: after its duration, or when every source finished.
        case finished
        /// On request.
        case interrupted
        /// A plugin with a fatal failure, or all plugins, failed.
        case pluginFailed = "plugin-failed"
        /// Every output failed, or a recording is incomplete.
        case outputsFailed = "outputs-failed"
        /// The session did not start: a plugin refused its settings.
        case badSetting = "bad-setting"
        /// As planned, but a track had less real media than the session's minimum.
        case notReal = "not-real"

        /// The word in reports.
        public var description: String { rawValue }
    }

    /// A plugin.
    public struct Plugin: Codable, Sendable {
        /// Its role in the session.
        public var role: String
        /// Its id.
        public var id: String
        /// Its name in session files.
        public var name: String
        /// Its version.
        public var version: String
        /// Its kind.
        public var kind: String
        /// Its last lifecycle state.
        public var state: LifecycleState
        /// Why the host gave up on it.
        public var fault: String?
        /// Its own reason for giving up.
        public var gaveUp: String?
        /// The layers of its process's sandbox, `on`, `off` or `unavailable`, each with its effect
        /// or the reason why it is missing; nil in the host's process.
        public var sandbox: [String: String]?
        /// Its losses; nil if there were none.
        public var losses: [Loss]?
        /// Its offers.
        public var offer: Offered?
        /// The durations of its callbacks, by name.
        public var callbacks: [String: Callback]
    }

    /// A loss of a plugin.
    public struct Loss: Codable, Sendable {
        /// The time, in seconds of the session.
        public var seconds: Double
        /// The reason.
        public var evidence: String
        /// The session's reaction.
        public var policy: FailurePolicy
        /// How long the plugin was away; nil if it did not return.
        public var awaySeconds: Double?
    }

    /// An offer and its result.
    public struct Offered: Codable, Sendable {
        /// The offer's revision.
        public var revision: UInt32
        /// Its rows, or the single row with the limit of a share.
        public var rows: [String]
        /// The suggestion.
        public var suggested: String
        /// The source's answer.
        public var answer: NegotiationRecord.Answer?
        /// What the source said it sends.
        public var source: String?
        /// What the track carries.
        public var track: String?
    }

    /// The calls of a callback.
    public struct Callback: Codable, Sendable {
        /// Calls that returned.
        public var calls: Int
        /// Their mean, in milliseconds.
        public var meanMilliseconds: Double
        /// The longest, in milliseconds.
        public var longestMilliseconds: Double
    }

    /// The video of a track.
    public struct Video: Codable, Sendable {
        /// `camera`, `share`, or the name of a participant's track.
        public var track: String
        /// Its size and rate at the start.
        public var capability: String
        /// How much of it was real, in periods of its rate at the start.
        public var account: RealAccount
        /// What was offered for it, why, and what came of it: the first offer, and the last ones.
        public var negotiation: [NegotiationRecord]
        /// The number of offers between these, which are left out.
        public var negotiationsLeftOut: Int
        /// Frames that the plugin sent.
        public var sent: Int
        /// Frames that the ingest accepted.
        public var accepted: Int
        /// Accepted frames that were leased, and needed no copy.
        public var leased: Int
        /// Frames refused, by status.
        public var refused: [String: Int]
        /// Refused calls without a frame, by status.
        public var refusedCalls: [String: Int]
        /// Leases that were returned unsent.
        public var abandoned: Int
        /// Bytes copied from the plugin's memory, without frames that were converted from there.
        public var bytesCopied: Int
        /// Accepted frames for an offer after its grace time.
        public var staleRevision: Int
        /// Frames dropped for newer ones.
        public var superseded: Int
        /// Frames that arrived after the track's end.
        public var discarded: Int
        /// Anomalies of the frames' timestamps.
        public var stamps: Stamps
        /// Frames that wait for the track; at the end, those never shown.
        public var queued: Int
        /// Frames above the rate that the track carried.
        public var overRate: Int
        /// Frames that could not be scaled to the track's size, or converted for filters.
        public var unconvertible: Int
        /// Frames lost in a hung filter in the host's process.
        public var lostInFilter: Int
        /// Frames that were not shown, since a filter did not edit them: one that is required, or had them in
        /// place.
        public var withheld: Int
        /// Frames passed to the outputs.
        public var carried: Int
        /// Of those, the ones that a filter did not edit.
        public var unedited: Int
        /// Edits that did not take place in time; the frames were passed on without them, or withheld.
        public var unprocessed: Unprocessed
        /// The number of conversions.
        public var conversions: Int
        /// Bytes written by conversions, rows that are made twice included.
        public var bytesConverted: Int
        /// Memory allocations for frames; absent on a virtual clock, where the number is not
        /// deterministic.
        public var allocations: Int?
        /// The intervals between accepted frames.
        public var arrival: Intervals
        /// Its outputs.
        public var outputs: [VideoOutput]
    }

    /// Failed edits, by reason.
    public struct Unprocessed: Codable, Sendable {
        /// The filter refused the frame.
        public var refused: Int
        /// The filter missed the frame's interval, still had an earlier frame, or had no room for
        /// it. In the host's process the frame continues edited, and late.
        public var overdue: Int
        /// The filter was lost or had ended.
        public var lost: Int
    }

    /// The distribution of a duration.
    public struct Intervals: Codable, Sendable {
        /// The number of measurements.
        public var count: Int
        /// The median, in milliseconds.
        public var p50Milliseconds: Double
        /// The 99th percentile, in milliseconds.
        public var p99Milliseconds: Double
        /// The longest, in milliseconds.
        public var maximumMilliseconds: Double
    }

    /// An output of a track.
    public struct VideoOutput: Codable, Sendable {
        /// Its kind.
        public var output: String
        /// Its rate.
        public var rate: String
        /// Its size; the first one, if it followed the shape of a share.
        public var size: String
        /// The files of a recording that followed the shape of a share: one for each size.
        package var pieces: [OutputPiece]?
        /// The first frame of a share that it showed with bars, in another shape than its own.
        package var bars: Bars?
        /// Its colour matrix, `bt601` or `bt709`; frames of another one are converted.
        public var matrix: String
        /// The range of its values, `limited` or `full`.
        public var range: String
        /// Frames written for the first time.
        public var delivered: Int
        /// Delivered frames in a later period than their own, which had ended.
        public var delayed: Int
        /// Periods that repeat a frame.
        public var repeated: Int
        /// Periods with black: before the first frame, or while the camera was stopped.
        public var black: Int
        /// Periods with a slate: the source was lost.
        public var slate: Int
        /// Frames for a period that had one already.
        public var excess: Int
        /// Frames without room in its queue.
        public var queueFull: Int
        /// Frames before the start.
        public var beforeStart: Int
        /// Frames after the end.
        public var afterEnd: Int
        /// Frames while it wanted nothing of the track.
        public var unwanted: Int
        /// Frames that could not be converted.
        public var unconvertible: Int
        /// Frames after its failure, or lost when it failed.
        public var failed: Int
        /// Frames in its queue; at the end, those it never wrote.
        public var queued: Int
        /// The intervals between the frames of consecutive periods when they were written.
        public var departure: Intervals
        /// How late frames were written, for an output on schedule.
        public var lateness: Intervals?
        /// Why it failed.
        public var failure: String?
    }

    /// A frame of a share in another shape than the output's.
    package struct Bars: Codable, Sendable {
        /// Its size.
        package var size: String
        /// The output's size.
        package var within: String
        /// The session's time, in seconds.
        package var seconds: Double
    }

    /// Anomalies of a source's timestamps.
    public struct Stamps: Codable, Sendable {
        /// Frames or blocks without a timestamp.
        public var missing: Int
        /// Frames or blocks with a timestamp before the previous one.
        public var backward: Int
        /// Frames or blocks whose timestamps are not nanoseconds of the session clock.
        public var foreign: Int
        /// How often the clock of the timestamps was set.
        public var jumps: Int
        /// How much faster the clock of the timestamps runs than the session's, in ppm; absent
        /// without drift.
        public var driftPPM: Double?
    }

    /// Blocks of 10 ms that passed through audio filters.
    public struct AudioFilters: Codable, Sendable {
        /// Blocks that every filter edited.
        public var edited: Int
        /// Edits that a filter refused. The block continued unedited, or silent.
        public var refused: Int
        /// Edits that missed the deadline.
        public var overdue: Int
        /// Edits by filters that were not running.
        public var lost: Int
        /// Silent blocks: a required filter did not edit them.
        public var silenced: Int
    }

    /// The audio of a source.
    public struct Audio: Codable, Sendable {
        /// Its source, or the name of a participant's track.
        public var role: String
        /// How much of it was real, in frames of 48 kHz.
        public var account: RealAccount
        /// Blocks sent.
        public var sent: Int
        /// Blocks queued.
        public var accepted: Int
        /// Blocks refused, by status.
        public var refused: [String: Int]
        /// Blocks that were resampled.
        public var resampled: Int
        /// Bytes copied from the plugin's memory.
        public var bytesCopied: Int
        /// The work of its filters; absent without filters.
        public var filters: AudioFilters?
        /// Frames of 48 kHz in the queued blocks.
        public var frames: Int
        /// Frames of 48 kHz that were played.
        public var played: Int
        /// Frames of 48 kHz before the start of the recording.
        public var beforeStart: Int
        /// Frames of 48 kHz sent ahead for a time that was then muted, or without room.
        public var cut: Int
        /// Frames of 48 kHz that are not played yet; at the end, those never played.
        public var queued: Int
        /// Frames of silence for audio that was late or missing, with a fade at its beginning.
        public var concealed: Int
        /// Frames of silence while no audio was expected.
        public var idle: Int
        /// Frames of silence while the source was stopped: muted, or paused.
        public var muted: Int
        /// The excess of audio over time in the worst two seconds with refused blocks, in per cent.
        public var overfedPercent: Double?
        /// The shortage of audio in the worst two seconds, in per cent.
        public var underfedPercent: Double?
        /// How much faster the clock of the samples runs than the session's, in ppm; absent without
        /// drift.
        public var driftPPM: Double?
        /// Anomalies of the blocks' timestamps.
        public var stamps: Stamps
        /// The loudest sample, in decibels of full scale; absent for silence.
        public var peakDBFS: Double?
        /// Samples at full scale, in runs of at least three.
        public var clippedSamples: Int
        /// The mean of all samples, as a fraction of full scale.
        public var dcOffset: Double
    }

    /// The version of the host.
    public var greenroom: String
    /// The session's name.
    public var session: String
    /// How the session ended.
    public var outcome: Outcome
    /// The roles whose tracks had less real media than the session's minimum; absent if none had.
    public var notReal: [String]?
    /// The session's minimum; nil for anything at all. Not in the file.
    var minimumRealPercent: Int?
    /// The plugin whose failure ended the session.
    public var failedPlugin: String?
    /// The plugins.
    public var plugins: [Plugin]
    /// The video of the tracks.
    public var videoTracks: [Video]
    /// The audio of the sources.
    public var audioTracks: [Audio]
    /// The participants of the call, in the order of joining; nil without a call.
    public var participants: [Participant]?
    /// Participants who left long ago and are not in the list; nil without any.
    public var participantsLeftOut: Int?
    /// Additional entries of outputs, each in the list of its key.
    package var outputs: [OutputReport]
    /// Summary lines of outputs; not in `session.json`.
    let products: [String]
    /// The roles of output plugins that have made nothing; not in `session.json`.
    let outputsWithoutProduct: Set<String>
    /// Whether an output worked to the end, of a session in which another one failed; not in
    /// `session.json`.
    var hasWorkingOutput = false

    init(
        plan: SessionPlan, instances: [PluginInstance], losses: [PluginLoss],
        negotiations: [VideoNegotiation], participants: ParticipantRecords,
        pipeline: SessionPipeline?, at nanoseconds: Int64,
        outcome: SessionOutcome?
    ) {
        greenroom = GreenroomVersion.current
        session = plan.configuration.name
        switch outcome {
        case nil: self.outcome = .running
        case .finished: self.outcome = .finished
        case .interrupted: self.outcome = .interrupted
        case .outputsFailed: self.outcome = .outputsFailed
        case .pluginFailed(let role):
            self.outcome = .pluginFailed
            failedPlugin = role
        case .badSetting(let role):
            self.outcome = .badSetting
            failedPlugin = role
        }
        plugins = instances.map { Plugin($0, losses) }
        videoTracks =
            pipeline?.videoTracks.map { video in
                let negotiation = negotiations.first { $0.plugin.instance === video.instance }
                return Video(
                    video.track, named: video.track.kind.rawValue,
                    from: video.instance.videoIngest, negotiation?.negotiator, at: nanoseconds)
            } ?? []
        audioTracks =
            pipeline?.audioTracks.map {
                Audio(role: $0.role, ingest: $0.ingest, filters: $0.filtered?.counts)
            } ?? []
        if instances.contains(where: { $0.roster != nil }) {
            self.participants = participants.entries(
                with: pipeline?.participants.all ?? [], at: nanoseconds)
            participantsLeftOut = participants.leftOut > 0 ? participants.leftOut : nil
        }
        outputs = pipeline?.outputReports ?? []
        let unmade = Self.outputsWithoutProduct(of: plan.configuration, with: outputs)
        products = plan.configuration.outputs.enumerated().compactMap { index, output in
            unmade.contains("\(plan.configuration.address(ofOutput: index))")
                ? nil : output.output.product
        }
        outputsWithoutProduct = unmade
        minimumRealPercent = plan.configuration.minimumRealPercent
        guard outcome == .finished || outcome == .interrupted else { return }
        let short = Self.fallsShort(accounts, in: plan)
        guard !short.isEmpty else { return }
        // An interrupted session keeps its outcome and its exit code.
        if outcome == .finished { self.outcome = .notReal }
        notReal = short
    }

    /// The roles of output plugins that have made nothing.
    private static func outputsWithoutProduct(
        of configuration: SessionConfiguration, with reports: [OutputReport]
    ) -> Set<String> {
        let entries = reports.compactMap { $0.entry as? OutputFeed.Entry }
        let unmade = configuration.outputPlugins.compactMap { index, _ in
            let role = "\(configuration.address(ofOutput: index))"
            let entry = entries.first { $0.role == role }
            let hasMade = entry.map(configuration.outputs[index].output.hasMade) ?? false
            return hasMade ? nil : role
        }
        return Set(unmade)
    }

    /// How much of each track was real, by its source's role.
    public var accounts: [String: RealAccount] {
        let all =
            videoTracks.map {
                (SessionTrack(name: $0.track)?.role?.rawValue ?? $0.track, $0.account)
            } + audioTracks.map { ($0.role, $0.account) }
        return Dictionary(all) { first, _ in first }
    }
}

extension SessionReport: Encodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes the report; lists of outputs are at its top, beside the others.
    public func encode(to encoder: any Encoder) throws {
        var report = encoder.container(keyedBy: Key.self)
        try report.encode(greenroom, forKey: Key("greenroom"))
        try report.encode(session, forKey: Key("session"))
        try report.encode(outcome, forKey: Key("outcome"))
        try report.encodeIfPresent(failedPlugin, forKey: Key("failedPlugin"))
        try report.encodeIfPresent(notReal, forKey: Key("notReal"))
        try report.encode(plugins, forKey: Key("plugins"))
        try report.encode(videoTracks, forKey: Key("videoTracks"))
        try report.encode(audioTracks, forKey: Key("audioTracks"))
        try report.encodeIfPresent(participants, forKey: Key("participants"))
        try report.encodeIfPresent(participantsLeftOut, forKey: Key("participantsLeftOut"))
        for key in OutputForm.builtIn.compactMap(\.reportKey) + [OutputFeed.reportKey] {
            var list = report.nestedUnkeyedContainer(forKey: Key(key))
            for output in outputs where output.key == key { try list.encode(output.entry) }
        }
    }
}

extension SessionReport.Plugin {
    init(_ instance: PluginInstance, _ all: [PluginLoss]) {
        let losses = all.filter { $0.role == instance.role }.map {
            SessionReport.Loss(
                seconds: $0.seconds, evidence: $0.evidence, policy: $0.policy,
                awaySeconds: $0.awaySeconds)
        }
        role = instance.role
        sandbox = instance.sandbox.map { layers in
            Dictionary(uniqueKeysWithValues: layers.map { ($0.name, "\($0.state): \($0.text)") })
        }
        self.losses = losses.isEmpty ? nil : losses
        id = instance.descriptor.id
        name = instance.descriptor.name
        version = instance.descriptor.version
        kind = instance.descriptor.kind.name
        state = instance.lifecycle
        fault = instance.fault
        gaveUp = instance.gaveUp.map { "\($0.status): \($0.reason)" }
        offer = instance.newestOffer.map { offer in
            let agreement = instance.agreement
            return SessionReport.Offered(
                revision: offer.revision, rows: offer.rows.map(\.description),
                suggested: offer.suggested.description, answer: agreement?.answer.recorded,
                source: agreement?.source.description, track: agreement?.track.description)
        }
        callbacks = instance.callbackTimes.mapValues { times in
            SessionReport.Callback(
                calls: times.calls,
                meanMilliseconds: Double(times.totalNanoseconds) / Double(max(times.calls, 1))
                    / 1e6,
                longestMilliseconds: Double(times.longestNanoseconds) / 1e6)
        }
    }
}

extension SessionReport.Video {
    /// - Parameters:
    ///   - name: The track's name.
    ///   - nanoseconds: From the track's start.
    init(
        _ video: VideoTrack, named name: String, from ingest: VideoIngest?,
        _ negotiator: Negotiator?, at nanoseconds: Int64
    ) {
        let ingest = ingest?.counts ?? VideoIngest.Counts()
        let counts = video.counts
        track = name
        account = SessionReport.RealAccount(video.account(at: nanoseconds))
        negotiation = negotiator?.records ?? []
        negotiationsLeftOut = negotiator?.recordsLeftOut ?? 0
        capability = video.agreed.description
        sent = ingest.sent
        accepted = ingest.accepted
        leased = ingest.leased
        refused = ingest.refused.refusals
        refusedCalls = ingest.refusedCalls.refusals
        abandoned = ingest.abandoned
        bytesCopied = ingest.bytesCopied
        staleRevision = ingest.staleRevision
        let input = video.input
        superseded = input.counts.superseded
        discarded = input.counts.discarded
        queued = video.queuedCount
        overRate = counts.overRate
        stamps = SessionReport.Stamps(video.stamps)
        unconvertible = counts.unconvertible
        lostInFilter = counts.lostInFilter
        withheld = counts.withheld
        carried = counts.carried
        unedited = counts.unedited
        unprocessed = SessionReport.Unprocessed(
            refused: counts.unprocessed.refused, overdue: counts.unprocessed.overdue,
            lost: counts.unprocessed.lost)
        conversions = counts.conversions
        bytesConverted = counts.bytesConverted
        allocations = input.clock.isVirtual ? nil : video.allocationCount
        arrival = SessionReport.Intervals(input.arrivals)
        outputs = video.branches.compactMap {
            SessionReport.VideoOutput($0, carried: counts.carried)
        }
    }
}

extension SessionReport.VideoOutput {
    /// Nil for an output that never wanted the track.
    init?(_ branch: VideoBranch, carried: Int) {
        guard let form = branch.form else { return nil }
        let counts = branch.counts(carried: carried)
        output = branch.name
        rate = form.capability.rate.description
        let pieces = branch.pieces
        size = pieces.first?.size ?? form.capability.size.description
        self.pieces = pieces.count > 1 ? pieces : nil
        bars = branch.bars.map {
            SessionReport.Bars(
                size: $0.size.description, within: $0.within.description,
                seconds: rounded(Double($0.nanoseconds) / 1e9))
        }
        matrix = (form.want.matrix ?? .usual(for: form.capability.size)).name
        range = (form.want.range ?? .limited).name
        delivered = counts.delivered
        delayed = counts.delayed
        repeated = counts.repeated
        black = counts.black
        slate = counts.slate
        excess = counts.excess
        queueFull = counts.queueFull
        beforeStart = counts.beforeStart
        afterEnd = counts.afterEnd
        unwanted = counts.unwanted
        unconvertible = counts.unconvertible
        failed = counts.failed
        queued = counts.queued
        departure = SessionReport.Intervals(branch.departures)
        lateness = branch.lateness.map(SessionReport.Intervals.init)
        failure = branch.failure
    }
}

extension SessionReport.Intervals {
    init(_ summary: IntervalHistogram.Summary) {
        count = summary.count
        p50Milliseconds = Double(summary.p50) / 1e6
        p99Milliseconds = Double(summary.p99) / 1e6
        maximumMilliseconds = Double(summary.maximum) / 1e6
    }
}

extension SessionReport.Stamps {
    init(_ stamps: TimestampNormalizer) {
        let counts = stamps.counts
        self.init(
            missing: counts.missing, backward: counts.backward, foreign: counts.foreign,
            jumps: counts.jumps, driftPPM: stamps.driftPPM.map(rounded))
    }
}

extension SessionReport.Audio {
    init(role: String, ingest: AudioIngest, filters counts: AudioFilterChain.Counts?) {
        filters = counts.map { SessionReport.AudioFilters($0) }
        let statistics = ingest.statistics
        let (counts, queue) = (statistics.counts, statistics.queue)
        self.role = role
        account = SessionReport.RealAccount(queue.account)
        sent = counts.sent
        accepted = counts.accepted
        refused = counts.refused.refusals
        resampled = counts.resampled
        bytesCopied = counts.bytesCopied
        frames = queue.appended
        played = queue.played
        beforeStart = queue.beforeStart
        cut = queue.cut
        queued = statistics.queued
        concealed = queue.concealed
        idle = queue.idle
        muted = queue.muted
        let (excess, shortage) = (statistics.pacing.excess, statistics.pacing.shortage)
        overfedPercent = excess > 0 ? rounded(excess * 100) : nil
        underfedPercent = shortage > 0 ? rounded(shortage * 100) : nil
        driftPPM = statistics.driftPPM.map(rounded)
        stamps = SessionReport.Stamps(statistics.stamps)
        peakDBFS = statistics.level.peakDBFS.map(rounded)
        clippedSamples = statistics.level.clipped
        dcOffset = (statistics.level.dcOffset * 1e6).rounded() / 1e6
    }
}

extension SessionReport.AudioFilters {
    fileprivate init(_ counts: AudioFilterChain.Counts) {
        (edited, refused, overdue) = (counts.edited, counts.refused, counts.overdue)
        (lost, silenced) = (counts.lost, counts.silenced)
    }

    /// Edits that failed.
    var unedited: Int { refused + overdue + lost }
}

/// As many places as say something.
private func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
