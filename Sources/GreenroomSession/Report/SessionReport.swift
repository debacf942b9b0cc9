import GreenroomDecisions
package import GreenroomAudio
import GreenroomConversion
import GreenroomLifecycle
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import GreenroomVideo

/// The report of a session: `session.json`.
///
/// The counters add up exactly. For each video track:
///
/// - `sent` = `accepted` + all of `refused`;
/// - `accepted` = `superseded` + `discarded` + `queued` + `overRate` + `unconvertible` +
///   `withheld` + `carried`;
///
/// and for each of its outputs:
///
/// - the track's `carried` = `delivered` + `excess` + `queueFull` + `beforeStart` + `afterEnd` +
///   `unwanted` + `unconvertible` + `failed` + `queued`;
/// - frames in the output = `delivered` + `repeated` + `black` + `slate`.
///
/// For each audio source, `sent` = `accepted` + all of `refused`; `frames` = `played` +
/// `beforeStart` + `cut` + `queued`; and the time of the recording = `played` + `concealed` +
/// `idle` + `muted`.
///
/// In the report of a running session, frames in progress may be missing or counted twice.
public struct SessionReport: Sendable {
    /// The outcome of a session.
    public enum Outcome: String, Codable, CustomStringConvertible, Sendable {
        /// The session is running, or the host was killed.
        case running
        /// The session ended as planned: after its duration, or when every source finished.
        case finished
        /// The session ended on request.
        case interrupted
        /// A plugin with a fatal failure, or all plugins, failed.
        case pluginFailed = "plugin-failed"
        /// Every output failed, or a recording is incomplete.
        case outputsFailed = "outputs-failed"
        /// The session did not start: a plugin refused its settings.
        case badSetting = "bad-setting"
        /// A plugin breaks a rule of the interface, so the session did not start or has ended.
        case badPlugin = "bad-plugin"
        /// The session ended as planned, but a track had less real media than the session's
        /// minimum.
        case notReal = "not-real"

        /// The word in reports.
        public var description: String { rawValue }

        init(_ outcome: SessionOutcome) {
            self =
                switch outcome {
                case .finished: .finished
                case .interrupted: .interrupted
                case .outputsFailed: .outputsFailed
                case .pluginFailed: .pluginFailed
                case .badSetting: .badSetting
                case .badPlugin: .badPlugin
                }
        }
    }

    /// A time in which every recording was paused.
    public struct Pause: Codable, Equatable, Sendable {
        /// The start, in seconds of the session.
        public var beganSeconds: Double
        /// The end, in seconds of the session; nil if the recordings were paused to the end.
        public var endedSeconds: Double?

        init(_ pause: RecordingLog.Pause) {
            beganSeconds = Double(pause.start) / 1e9
            endedSeconds = pause.end.map { Double($0) / 1e9 }
        }
    }

    /// The version of the host.
    public var greenroom: String
    /// The session's name.
    public var session: String
    /// The outcome of the session.
    public var outcome: Outcome
    /// True if the session drains or has drained; absent otherwise.
    public internal(set) var draining: Bool?
    /// The newest pauses of the recordings, at most 1000; absent without any.
    public internal(set) var recordingPauses: [Pause]?
    /// The processor time of the host and all processes that it started, in seconds; absent on the
    /// virtual clock.
    public internal(set) var processorSeconds: Double?
    /// The roles whose tracks had less real media than the session's minimum; absent if none.
    public var notReal: [String]?
    /// The session's minimum share of real media, in per cent; nil if any real media is enough. Not
    /// in `session.json`.
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
    /// The number of participants who left long ago and are not in the list; nil if none.
    public var participantsLeftOut: Int?
    /// The hooks; nil without any.
    public internal(set) var hooks: [Hook]?
    /// Additional entries of outputs, each in the list of its key.
    package var outputs: [OutputReport]
    /// Summary lines of outputs; not in `session.json`.
    let products: [String]
    /// The roles of output plugins without a product; not in `session.json`.
    let outputsWithoutProduct: Set<String>
    /// Whether an output worked to the end, in a session in which another output failed; not in
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
        self.outcome = outcome.map { Outcome($0) } ?? .running
        failedPlugin = outcome?.failedPlugin
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
        let short = Self.fallsShort(accounts.mapValues(\.realPercent), in: plan)
        guard !short.isEmpty else { return }
        // An interrupted session keeps its outcome and its exit code.
        if outcome == .finished { self.outcome = .notReal }
        notReal = short
    }

    mutating func setHooks(_ hooks: [Hook]) { self.hooks = hooks.isEmpty ? nil : hooks }

    /// Returns the roles of output plugins without a product.
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

    /// The amount of real media in each track, by the role of its source.
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

    /// Writes the report. The lists of outputs are at the top level.
    public func encode(to encoder: any Encoder) throws {
        var report = encoder.container(keyedBy: Key.self)
        try report.encode(greenroom, forKey: Key("greenroom"))
        try report.encode(session, forKey: Key("session"))
        try report.encode(outcome, forKey: Key("outcome"))
        try report.encodeIfPresent(failedPlugin, forKey: Key("failedPlugin"))
        try report.encodeIfPresent(notReal, forKey: Key("notReal"))
        try report.encodeIfPresent(draining, forKey: Key("draining"))
        try report.encodeIfPresent(recordingPauses, forKey: Key("recordingPauses"))
        try report.encodeIfPresent(processorSeconds, forKey: Key("processorSeconds"))
        try report.encode(plugins, forKey: Key("plugins"))
        try report.encode(videoTracks, forKey: Key("videoTracks"))
        try report.encode(audioTracks, forKey: Key("audioTracks"))
        try report.encodeIfPresent(participants, forKey: Key("participants"))
        try report.encodeIfPresent(participantsLeftOut, forKey: Key("participantsLeftOut"))
        try report.encodeIfPresent(hooks, forKey: Key("hooks"))
        for key in OutputForm.builtIn.compactMap(\.reportKey) + [OutputFeed.reportKey] {
            var list = report.nestedUnkeyedContainer(forKey: Key(key))
            for output in outputs where output.key == key { try list.encode(output.entry) }
        }
    }
}

/// Rounds a number to one decimal place.
func roundedToTenth(_ number: Double) -> Double { (number * 10).rounded() / 10 }
