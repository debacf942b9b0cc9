import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
public import GreenroomNegotiation
import GreenroomOutputs
import GreenroomRuntime
package import GreenroomVideo

extension SessionReport {
    /// The video of a track.
    public struct Video: Codable, Sendable {
        /// `camera`, `share`, or the name of a participant's track.
        public var track: String
        /// The track's size and rate at the start.
        public var capability: String
        /// The amount of real video, in periods of the track's rate at the start.
        public var account: RealAccount
        /// The negotiation with the source: the first offer and the last offers, each with its
        /// reason and result.
        public var negotiation: [NegotiationRecord]
        /// The number of offers omitted between the first offer and the last offers.
        public var negotiationsLeftOut: Int
        /// Frames that the plugin sent.
        public var sent: Int
        /// Frames that the ingest accepted.
        public var accepted: Int
        /// Accepted frames that were leased and needed no copy.
        public var leased: Int
        /// Frames refused, by status. Frames that the source or the host could not decode count as `BAD_DATA`.
        public var refused: Refusals
        /// Refused calls without a frame, by status.
        public var refusedCalls: Refusals
        /// Leases that were returned unsent.
        public var abandoned: Int
        /// Bytes copied from the plugin's memory, without frames that were converted directly from
        /// there.
        public var bytesCopied: Int
        /// Accepted frames for an offer after its grace time.
        public var staleRevision: Int
        /// Frames dropped for newer frames.
        public var superseded: Int
        /// Frames that arrived after the track's end.
        public var discarded: Int
        /// Anomalies of the frames' timestamps.
        public var stamps: Stamps
        /// Frames that wait for the track; at the end, frames that were never shown.
        public var queued: Int
        /// Frames above the rate that the track carried.
        public var overRate: Int
        /// Frames that could not be scaled to the track's size, or converted for filters.
        public var unconvertible: Int
        /// Frames that were not shown because a required filter did not edit them.
        public var withheld: Int
        /// Frames passed to the outputs.
        public var carried: Int
        /// Frames passed to the outputs that a filter did not edit.
        public var unedited: Int
        /// Edits that failed or were late. The frames continued unedited, or were withheld.
        public var unprocessed: Unprocessed
        /// The number of conversions.
        public var conversions: Int
        /// Bytes written by conversions, including rows that are written twice.
        public var bytesConverted: Int
        /// Memory allocations for frames; absent on a virtual clock, because there the number is
        /// not deterministic.
        public var allocations: Int?
        /// The intervals between accepted frames.
        public var arrival: Intervals
        /// The track's outputs.
        public var outputs: [VideoOutput]
    }

    /// Failed edits, by reason.
    public struct Unprocessed: Codable, Sendable {
        /// The filter refused the frame.
        public var refused: Int
        /// The filter missed the frame's interval, still had an earlier frame, or had no room for
        /// the frame. In the host's process the frame continues edited, and late.
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
        /// The longest interval, in milliseconds.
        public var maximumMilliseconds: Double
    }

    /// An output of a track.
    public struct VideoOutput: Codable, Sendable {
        /// The output's name.
        public var output: String
        /// The output's rate.
        public var rate: String
        /// The output's size; the first size, if the output followed the shape of a share.
        public var size: String
        /// The files of a recording that followed the shape of a share, one for each size; nil if
        /// there is only one.
        package var pieces: [OutputPiece]?
        /// The first frame of a share that the output showed with bars, because the shapes
        /// differed; nil if none.
        package var bars: Bars?
        /// The output's colour matrix, `bt601` or `bt709`. Frames with another matrix are
        /// converted.
        public var matrix: String
        /// The range of the output's values, `limited` or `full`.
        public var range: String
        /// Frames written for the first time.
        public var delivered: Int
        /// Frames delivered in a later period than their own, which had ended.
        public var delayed: Int
        /// Periods that repeat a frame.
        public var repeated: Int
        /// Periods with black: before the first frame, or while the camera was stopped.
        public var black: Int
        /// Periods with a slate: the source was lost.
        public var slate: Int
        /// Frames for a period that already had a frame.
        public var excess: Int
        /// Frames dropped because the output's queue was full.
        public var queueFull: Int
        /// Frames before the start.
        public var beforeStart: Int
        /// Frames after the end.
        public var afterEnd: Int
        /// Frames that arrived while the output requested none of the track.
        public var unwanted: Int
        /// Frames that could not be converted.
        public var unconvertible: Int
        /// Frames that arrived after the output's failure, or were lost in the failure.
        public var failed: Int
        /// Frames in the output's queue; at the end, frames that were never written.
        public var queued: Int
        /// The intervals between the frames of consecutive periods when they were written.
        public var departure: Intervals
        /// The delay of written frames, for an output on schedule; nil for other outputs.
        public var lateness: Intervals?
        /// The reason for the output's failure; nil if it works.
        public var failure: String?
    }

    /// A frame of a share in another shape than the output's.
    package struct Bars: Codable, Sendable {
        /// The frame's size.
        package var size: String
        /// The output's size.
        package var within: String
        /// The time of the frame, in seconds of the session.
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
        /// The number of jumps of the timestamps' clock.
        public var jumps: Int
        /// The excess speed of the timestamps' clock over the session's clock, in ppm; absent
        /// without drift.
        public var driftPPM: Double?
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
        // A frame is accepted before it is found damaged, so the damaged frames are read first.
        let counts = video.counts
        let ingest = ingest?.counts ?? VideoIngest.Counts()
        track = name
        account = SessionReport.RealAccount(video.account(at: nanoseconds))
        negotiation = negotiator?.records ?? []
        negotiationsLeftOut = negotiator?.recordsLeftOut ?? 0
        capability = video.agreed.description
        sent = ingest.sent
        accepted = ingest.accepted - counts.damaged
        leased = ingest.leased
        var refusals = ingest.refused.refusals
        if counts.damaged > 0 { refusals["BAD_DATA", default: 0] += counts.damaged }
        refused = SessionReport.Refusals(refusals)
        refusedCalls = SessionReport.Refusals(ingest.refusedCalls.refusals)
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
    /// Returns nil for an output that never requested the track.
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
                seconds: roundedToTenth(Double($0.nanoseconds) / 1e9))
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
            jumps: counts.jumps, driftPPM: stamps.driftPPM.map(roundedToTenth))
    }
}
