package import GreenroomAudio
import GreenroomConversion
public import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomModel
import GreenroomRuntime
import GreenroomVideo

/// What happened in a session: `session.json`.
///
/// Counters add up, always and exactly. For each picture:
///
/// - `sent` = `accepted` + all of `refused`;
/// - `accepted` = `superseded` + `discarded` + `queued` + `overRate` + `unconvertible` +
///   `lostInFilter` + `withheld` + `carried`;
///
/// and for each of its outputs:
///
/// - the track's `carried` = `delivered` + `excess` + `queueFull` + `early` + `late` +
///   `unconvertible` + `failed` + `queued`;
/// - pictures in it = `delivered` + `repeated` + `black` + `slate`.
///
/// For each sound, `sent` = `accepted` + all of `refused`; `frames` = `played` + `early` + `cut` +
/// `queued`; and the time of the recording = `played` + `concealed` + `idle` + `muted`.
///
/// In a report of a session that is running, frames that move on meanwhile may be missing or
/// told of twice.
public struct SessionReport: Sendable {
    /// A plugin.
    public struct Plugin: Codable, Sendable {
        /// Its place in the session.
        public var role: String
        /// Its name for ever.
        public var id: String
        /// Its name in session files.
        public var name: String
        /// Its version.
        public var version: String
        /// What it is.
        public var kind: String
        /// Where its lifecycle ended.
        public var state: LifecycleState
        /// Why the host gave it up.
        public var fault: String?
        /// What it said when it gave up.
        public var gaveUp: String?
        /// The layers of the sandbox around its process, `on`, `off` or `unavailable`, each with what
        /// it does or why it is not there; nil in the host's process.
        public var sandbox: [String: String]?
        /// When it was lost, and what came of it; nil if it never was.
        public var losses: [Loss]?
        /// What it was offered.
        public var offer: Offered?
        /// How long its callbacks took, by name.
        public var callbacks: [String: Callback]
    }

    /// A plugin that was lost.
    public struct Loss: Codable, Sendable {
        /// When, in seconds of the session.
        public var seconds: Double
        /// Why, in words.
        public var evidence: String
        /// What the session did about it.
        public var policy: FailurePolicy
        /// How long the plugin was away; nil if it did not come back from this loss.
        public var awaySeconds: Double?
    }

    /// An offer and what came of it.
    public struct Offered: Codable, Sendable {
        /// The offer's revision.
        public var revision: UInt32
        /// Its rows, or the one row that a share may go up to.
        public var rows: [String]
        /// What was suggested.
        public var suggested: String
        /// `accept`, `counter` or `fixed`.
        public var answer: String?
        /// What the source said that it sends.
        public var source: String?
        /// What the track carries.
        public var track: String?
    }

    /// Calls of a callback.
    public struct Callback: Codable, Sendable {
        /// Calls that returned.
        public var calls: Int
        /// Their mean, in milliseconds.
        public var meanMilliseconds: Double
        /// The longest, in milliseconds.
        public var longestMilliseconds: Double
    }

    /// A picture.
    public struct Video: Codable, Sendable {
        /// `camera` or `share`.
        public var track: String
        /// Its size and rate at the start.
        public var capability: String
        /// What was offered for it, why, and what came of it: the first offer, and the last ones.
        public var negotiation: [NegotiationRecord]
        /// Offers between these that are left out here.
        public var negotiationsLeftOut: Int
        /// Frames that the plugin sent.
        public var sent: Int
        /// Frames that came through the ingest.
        public var accepted: Int
        /// Of those, the ones that were leased, and needed no copy.
        public var leased: Int
        /// Frames refused, by status.
        public var refused: [String: Int]
        /// Calls refused that carried no frame, by status.
        public var refusedCalls: [String: Int]
        /// Leases that were given back unsent.
        public var abandoned: Int
        /// Bytes copied from the plugin's memory.
        public var bytesCopied: Int
        /// Accepted frames for an offer whose grace time was over.
        public var staleRevision: Int
        /// Frames dropped for newer ones.
        public var superseded: Int
        /// Frames that came when the track had ended.
        public var discarded: Int
        /// What was found of the frames' stamps.
        public var stamps: Stamps
        /// Frames that wait for the track; at the end, for good.
        public var queued: Int
        /// Frames above the rate that the track carried.
        public var overRate: Int
        /// Frames that could not be brought down to the track's size, or converted for filters.
        public var unconvertible: Int
        /// Frames lost in a filter in the host's process that hung.
        public var lostInFilter: Int
        /// Frames that were not shown, since a filter that is required did not edit them.
        public var withheld: Int
        /// Frames that went on to the outputs.
        public var carried: Int
        /// Of those, the ones that a filter did not edit.
        public var unedited: Int
        /// Edits that did not take place; the frames went on without them, or were withheld.
        public var unprocessed: Unprocessed
        /// Conversions made.
        public var conversions: Int
        /// Bytes that conversions wrote.
        public var bytesConverted: Int
        /// Times that memory was allocated for frames; absent on a virtual clock, where it is not
        /// the same each time.
        public var allocations: Int?
        /// The times between the frames that came through the ingest.
        public var arrival: Intervals
        /// Its outputs.
        public var outputs: [VideoOutput]
    }

    /// Edits that did not take place, by reason.
    public struct Unprocessed: Codable, Sendable {
        /// The filter refused the frame.
        public var refused: Int
        /// The filter was not done within a frame's interval, had an earlier frame still, or had
        /// no room for the frame.
        public var late: Int
        /// The filter was lost or had ended.
        public var lost: Int
    }

    /// How long something took, each time.
    public struct Intervals: Codable, Sendable {
        /// How often it was measured.
        public var count: Int
        /// What half of them did not exceed, in milliseconds.
        public var p50Milliseconds: Double
        /// What 99 of 100 did not exceed, in milliseconds.
        public var p99Milliseconds: Double
        /// The longest, in milliseconds.
        public var maximumMilliseconds: Double
    }

    /// An output of a picture.
    public struct VideoOutput: Codable, Sendable {
        /// What it is.
        public var output: String
        /// Its rate.
        public var rate: String
        /// Its size.
        public var size: String
        /// Its colour matrix, `bt601` or `bt709`; frames of another one are converted.
        public var matrix: String
        /// The range of its values, `limited` or `full`.
        public var range: String
        /// Frames written for the first time.
        public var delivered: Int
        /// Of those, the ones in a later period than their own, which was over.
        public var delayed: Int
        /// Periods that were filled by writing a frame again.
        public var repeated: Int
        /// Periods that show black: no frame had come yet, or the camera was stopped.
        public var black: Int
        /// Periods that show a slate: the source was lost.
        public var slate: Int
        /// Frames for a period that had one already.
        public var excess: Int
        /// Frames for which its queue had no room.
        public var queueFull: Int
        /// Frames stamped before the beginning.
        public var early: Int
        /// Frames stamped after the end.
        public var late: Int
        /// Frames that could not be converted.
        public var unconvertible: Int
        /// Frames that came after it had failed, or were lost when it did.
        public var failed: Int
        /// Frames that are on their way to it; at the end, those that it was left behind with.
        public var queued: Int
        /// The times between one period's picture and the next one's, when they were handed over.
        public var departure: Intervals
        /// How long after their time pictures were handed over, for an output that somebody
        /// watches.
        public var lateness: Intervals?
        /// Why it failed.
        public var failure: String?
    }

    /// What was found of a source's stamps.
    public struct Stamps: Codable, Sendable {
        /// Frames or blocks without one.
        public var missing: Int
        /// Those stamped before the one before.
        public var backward: Int
        /// Those that were not nanoseconds of the session clock.
        public var foreign: Int
        /// Times that the clock of the stamps was set.
        public var jumps: Int
        /// How much faster the clock of the stamps runs than the session's, in millionths;
        /// absent if it keeps time.
        public var driftPPM: Double?
    }

    /// A sound.
    public struct Audio: Codable, Sendable {
        /// Its source.
        public var role: String
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
        /// Frames of 48 kHz that the queued blocks became.
        public var frames: Int
        /// Frames of 48 kHz that the source had sent in time.
        public var played: Int
        /// Frames of 48 kHz that belong before the recording's beginning.
        public var early: Int
        /// Frames of 48 kHz that were sent ahead for a time that was then muted, or for which
        /// there was no room.
        public var cut: Int
        /// Frames of 48 kHz that were sent and not played yet; at the end, never.
        public var queued: Int
        /// Frames of silence because the source was late.
        public var concealed: Int
        /// Frames of silence while there was nothing to expect.
        public var idle: Int
        /// Frames of silence while the source was stopped: muted, or paused.
        public var muted: Int
        /// How much more sound than time there was in the worst two seconds in which blocks were
        /// refused, in per cent.
        public var overfedPercent: Double?
        /// How much less sound than time there was in the worst two seconds, in per cent.
        public var underfedPercent: Double?
        /// How much faster the clock of the samples runs than the session's, in millionths;
        /// absent if it keeps time.
        public var driftPPM: Double?
        /// What was found of the blocks' stamps.
        public var stamps: Stamps
        /// The loudest sample, in decibels of full scale; absent for silence.
        public var peakDBFS: Double?
        /// Samples at full scale, in runs of three and more.
        public var clippedSamples: Int
        /// The mean of all samples, as a part of full scale.
        public var dcOffset: Double
    }

    /// The version of the host.
    public var greenroom: String
    /// The session's name.
    public var session: String
    /// `finished`, `interrupted`, `plugin-failed` or `outputs-failed`; `running` while it runs, and for good if
    /// the host was killed.
    public var outcome: String
    /// The plugin whose failure ended the session.
    public var failedPlugin: String?
    /// The plugins.
    public var plugins: [Plugin]
    /// The pictures.
    public var pictures: [Video]
    /// The sounds.
    public var sounds: [Audio]
    /// What outputs have to say besides; each in the list of its key.
    package var outputs: [OutputReport]
    /// What outputs have made, for people; not in `session.json`.
    let products: [String]

    init(
        plan: SessionPlan, instances: [PluginInstance], losses: [PluginLoss],
        negotiations: [VideoNegotiation],
        parts: SessionPipeline?,
        outcome: SessionOutcome?
    ) {
        greenroom = GreenroomVersion.current
        session = plan.configuration.name
        switch outcome {
        case nil: self.outcome = "running"
        case .finished: self.outcome = "finished"
        case .interrupted: self.outcome = "interrupted"
        case .outputsFailed: self.outcome = "outputs-failed"
        case .pluginFailed(let role):
            self.outcome = "plugin-failed"
            failedPlugin = role
        }
        plugins = instances.map { Plugin($0, losses) }
        pictures =
            parts?.pictures.map { picture in
                let negotiation = negotiations.first { $0.plugin.instance === picture.instance }
                return Video(picture, negotiation?.negotiator)
            } ?? []
        sounds = parts?.sounds.map { Audio(role: $0.role, ingest: $0.ingest) } ?? []
        outputs = parts?.outputReports ?? []
        products = plan.configuration.outputs.compactMap(\.output.product)
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
        try report.encode(plugins, forKey: Key("plugins"))
        try report.encode(pictures, forKey: Key("pictures"))
        try report.encode(sounds, forKey: Key("sounds"))
        for key in OutputForm.builtIn.compactMap(\.reportKey) {
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
                suggested: offer.suggested.description, answer: agreement?.answer.name,
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
    init(_ picture: SessionPipeline.Video, _ negotiator: Negotiator?) {
        let ingest = picture.instance.videoIngest?.counts ?? VideoIngest.Counts()
        let counts = picture.track.counts
        track = picture.track.kind.rawValue
        negotiation = negotiator?.records ?? []
        negotiationsLeftOut = negotiator?.recordsLeftOut ?? 0
        capability = picture.track.agreed.description
        sent = ingest.sent
        accepted = ingest.accepted
        leased = ingest.leased
        refused = ingest.refused.refusals
        refusedCalls = ingest.refusedCalls.refusals
        abandoned = ingest.abandoned
        bytesCopied = ingest.bytesCopied
        staleRevision = ingest.staleRevision
        let input = picture.track.input
        superseded = input.counts.superseded
        discarded = input.counts.discarded
        queued = picture.track.queuedCount
        overRate = counts.overRate
        stamps = SessionReport.Stamps(picture.track.stamps)
        unconvertible = counts.unconvertible
        lostInFilter = counts.lostInFilter
        withheld = counts.withheld
        carried = counts.carried
        unedited = counts.unedited
        unprocessed = SessionReport.Unprocessed(
            refused: counts.unprocessed.refused, late: counts.unprocessed.late,
            lost: counts.unprocessed.lost)
        conversions = counts.conversions
        bytesConverted = counts.bytesConverted
        allocations = input.clock.isVirtual ? nil : picture.track.allocationCount
        arrival = SessionReport.Intervals(input.arrivals)
        outputs = picture.track.branches.map(SessionReport.VideoOutput.init)
    }
}

extension SessionReport.VideoOutput {
    init(_ branch: VideoBranch) {
        let counts = branch.counts
        output = branch.name
        rate = branch.rate.description
        size = branch.capability.size.description
        matrix = (branch.want.matrix ?? .usual(for: branch.capability.size)).name
        range = (branch.want.range ?? .limited).name
        delivered = counts.delivered
        delayed = counts.delayed
        repeated = counts.repeated
        black = counts.black
        slate = counts.slate
        excess = counts.excess
        queueFull = counts.queueFull
        early = counts.early
        late = counts.late
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
    init(role: String, ingest: AudioIngest) {
        let statistics = ingest.statistics
        let (counts, queue) = (statistics.counts, statistics.queue)
        self.role = role
        sent = counts.sent
        accepted = counts.accepted
        refused = counts.refused.refusals
        resampled = counts.resampled
        bytesCopied = counts.bytesCopied
        frames = queue.appended
        played = queue.played
        early = queue.early
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

/// As many places as say something.
private func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
