import GreenroomLifecycle
import GreenroomNegotiation
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel
import GreenroomVideo

/// The negotiation with a video source, and its inputs from the track: the outputs' demands, the
/// machine's capacity, and the first frame that follows each offer.
struct VideoNegotiation {
    private static let measuringNanoseconds: Int64 = 1_000_000_000

    let plugin: SessionPlugin
    private(set) var negotiator: Negotiator
    private var ability: OveruseDetector
    private var measured: Measurement?

    /// A track's counters at a session time.
    private struct Measurement {
        var nanoseconds: Int64
        var busyNanoseconds: Int64
        var frames: Int
        var superseded: Int

        init(of track: VideoTrack, at nanoseconds: Int64) {
            let counts = track.counts
            self.nanoseconds = nanoseconds
            busyNanoseconds = counts.busyNanoseconds
            frames = counts.taken
            superseded = track.input.counts.superseded
        }
    }

    /// Starts a negotiation.
    ///
    /// - Parameters:
    ///   - plugin: The plugin, already created, so that its capabilities are known.
    ///   - feeds: The feeds of output plugins, which have reported their demands.
    /// - Returns: nil for a plugin without video.
    init?(with plugin: SessionPlugin, plan: SessionPlan, feeds: [OutputFeed]) {
        guard let track = plugin.videoTrack, let rule = plugin.role?.kind.offerRule else {
            return nil
        }
        self.plugin = plugin
        let configuration = plan.configuration
        let table = CapabilityTable(configuration.table)
        negotiator = Negotiator(
            rule: rule, table: table, maximum: configuration.maximum,
            capabilities: plugin.instance.capabilities)
        let wanted = configuration.outputs.compactMap { $0.output.want(of: track) }
        let asked = track.videoID.map { id in feeds.compactMap { $0.demand(of: id) } }
        let demands = wanted.map { OutputDemand(want: $0) } + (asked ?? [])
        negotiator.set(demands: demands, at: 0)
        ability = OveruseDetector(table: table)
    }

    /// Returns the offer to make now; nil if none is due.
    mutating func next(at nanoseconds: Int64) -> Offer? { negotiator.next(at: nanoseconds) }

    /// Returns the offer to a restarted source, and cancels an offer in flight.
    mutating func renew(at nanoseconds: Int64) -> Offer { negotiator.renew(at: nanoseconds) }

    /// Sets the ceiling of a command; nil removes the ceiling.
    mutating func set(ceiling: VideoCapability?, origin: String, at nanoseconds: Int64) {
        negotiator.set(ceiling, kind: .outside, origin: origin, at: nanoseconds)
    }

    /// Handles the source's reply to the newest offer.
    ///
    /// - Returns: The record of the offer; nil without an answer yet.
    mutating func settle() -> NegotiationRecord? {
        guard let offer = negotiator.offer, let reply = plugin.instance.reply(to: offer.revision)
        else {
            return nil
        }
        negotiator.answered(reply)
        return negotiator.records.last
    }

    /// Records that the source cannot receive the newest offer.
    mutating func ignore() -> NegotiationRecord? {
        negotiator.answered(.ignored)
        return negotiator.records.last
    }

    /// The time of the next measurement of the track's load, in nanoseconds of session time; nil
    /// before the first.
    var nextMeasurement: Int64? {
        negotiator.track == nil ? nil : measured.map { $0.nanoseconds + Self.measuringNanoseconds }
    }

    /// Measures the track: its remaining outputs, the machine's load, and its frames.
    ///
    /// - Parameters:
    ///   - feeds: The output plugins.
    ///   - measures: Whether the host's work takes session time.
    mutating func observe(
        _ video: SessionPipeline.Video, feeds: [OutputFeed], at nanoseconds: Int64, measures: Bool
    ) {
        let wants =
            video.pipeline.wants
            + (video.hasTaps ? [VideoSinkWant()] : [])
        let demands =
            wants.map { OutputDemand(want: $0) }
            + feeds.compactMap { feed in video.track.kind.videoID.flatMap(feed.demand(of:)) }
        negotiator.set(demands: demands, at: nanoseconds)
        if measures { measure(video.track, at: nanoseconds) }
    }

    /// Records the first frames that follow each offer.
    mutating func recordFollowed() {
        for followed in plugin.instance.videoIngest?.followed ?? [] {
            negotiator.followed(revision: followed.revision, frames: followed.frames)
        }
    }

    private mutating func measure(_ track: VideoTrack, at nanoseconds: Int64) {
        guard let before = measured else {
            measured = Measurement(of: track, at: nanoseconds)
            return
        }
        guard nanoseconds - before.nanoseconds >= Self.measuringNanoseconds,
            let carried = negotiator.track
        else { return }
        let now = Measurement(of: track, at: nanoseconds)
        measured = now
        ability.add(
            OveruseDetector.Period(
                nanoseconds: now.nanoseconds - before.nanoseconds,
                busyNanoseconds: now.busyNanoseconds - before.busyNanoseconds,
                frames: now.frames - before.frames, superseded: now.superseded - before.superseded),
            carrying: carried)
        negotiator.set(
            ability.ceiling, kind: .ability, origin: "this machine's capacity", at: nanoseconds)
    }
}
