import GreenroomMedia
import GreenroomRuntime

/// Finds the period of a rate that contains a frame. A track and all of its outputs share one grid,
/// for all rates.
///
/// The grid counts periods from the first time, so frames of a regular source lie in the middle of
/// their periods, and jitter of up to half a period does not move them to another period. A period
/// ends slightly later than halfway to the next. Otherwise every second frame of a source at twice
/// the rate would lie exactly on a boundary, and could alternate between both sides.
///
/// After half a second of silence the next time becomes the origin, because a source resumes at any
/// point of a period.
///
/// Times are nanoseconds from the session's start, as is period 0 of each rate.
struct FrameGrid: Sendable {
    /// A time, and the origin of its periods.
    struct Point: Sendable {
        /// The time.
        let nanoseconds: Int64
        fileprivate let anchor: Int64

        /// Returns the period of the time. The track and each output of that rate have the same
        /// period.
        func period(of rate: FrameRate) -> Int64 {
            let since = difference(nanoseconds, anchor)
            let margin = rate.dueNanoseconds(ofFrame: 1) / 32
            let (period, overflow) = rate.nearestFrame(atNanoseconds: anchor)
                .addingReportingOverflow(
                    rate.nearestFrame(atNanoseconds: difference(since, margin)))
            return overflow ? (anchor < 0 ? .min : .max) : period
        }
    }

    private static let silence: Int64 = 500_000_000

    /// The newest time.
    private(set) var newest: Point?

    /// Returns a time on the grid.
    ///
    /// - Parameter rate: The source's rate. Two periods of this rate do not count as silence.
    func point(at nanoseconds: Int64, rate: FrameRate) -> Point {
        let silence = max(Self.silence, rate.dueNanoseconds(ofFrame: 2))
        guard let newest, difference(nanoseconds, newest.nanoseconds) < silence else {
            return Point(nanoseconds: nanoseconds, anchor: nanoseconds)
        }
        return Point(nanoseconds: nanoseconds, anchor: newest.anchor)
    }

    /// Records the time of a frame, and restarts the measurement of silence.
    mutating func take(_ point: Point) { newest = point }
}
