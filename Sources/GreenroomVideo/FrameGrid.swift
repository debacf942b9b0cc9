import GreenroomMedia
import GreenroomRuntime

/// Finds the period of a rate in which a frame is: one grid for a track and all of its outputs, for
/// all rates.
///
/// Periods are counted from the first time: frames of a regular source are then in the middle of
/// their periods, and jitter of up to half a period moves none to another. A period ends slightly
/// later than halfway to the next: if a source is twice as fast, every second frame is exactly
/// there, and must not alternate between both sides.
///
/// After half a second of silence the origin is the next time, since a source resumes at any point
/// of a period.
///
/// Times are nanoseconds from the session's start, as is period 0 of each rate.
struct FrameGrid: Sendable {
    /// A time, and the origin of its periods.
    struct Point: Sendable {
        /// The time.
        let nanoseconds: Int64
        fileprivate let anchor: Int64

        /// The period of the time: the same for the track and each output of that rate.
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

    /// A time on the grid.
    ///
    /// - Parameter rate: The source's rate. Two of its periods are no silence.
    func point(at nanoseconds: Int64, rate: FrameRate) -> Point {
        let silence = max(Self.silence, rate.dueNanoseconds(ofFrame: 2))
        guard let newest, difference(nanoseconds, newest.nanoseconds) < silence else {
            return Point(nanoseconds: nanoseconds, anchor: nanoseconds)
        }
        return Point(nanoseconds: nanoseconds, anchor: newest.anchor)
    }

    /// Records the time of a frame: the silence starts again.
    mutating func take(_ point: Point) { newest = point }
}
