import GreenroomMedia

/// Tells which period of a rate a frame falls on: one grid for a track and all of its outputs,
/// whatever their rates are.
///
/// Periods are counted from the first moment: a source that keeps time lies in the middle of its
/// periods then, and jitter of up to half a period moves no frame to another one. The end of a
/// period is a little later than halfway to the next: every second frame of a source that is
/// twice as fast lies just there, and must not fall now on this side and now on that.
///
/// After half a second of silence periods are counted from the next moment, since a source that
/// begins again does so at any point of a period.
///
/// Times are nanoseconds from the session's start, and so is period 0 of each rate.
struct FrameGrid: Sendable {
    /// A moment, and the one that its periods are counted from.
    struct Point: Sendable {
        /// The moment.
        let nanoseconds: Int64
        fileprivate let anchor: Int64

        /// The period that the moment falls on: the same for the track and each output of a rate.
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

    /// The newest moment that was taken.
    private(set) var newest: Point?

    /// A moment on the grid.
    ///
    /// - Parameter rate: That of the source. Two periods of it are no silence.
    func point(at nanoseconds: Int64, rate: FrameRate) -> Point {
        let silence = max(Self.silence, rate.dueNanoseconds(ofFrame: 2))
        guard let newest, difference(nanoseconds, newest.nanoseconds) < silence else {
            return Point(nanoseconds: nanoseconds, anchor: nanoseconds)
        }
        return Point(nanoseconds: nanoseconds, anchor: newest.anchor)
    }

    /// Takes the moment of a frame: silence begins anew.
    mutating func take(_ point: Point) { newest = point }
}

/// What is between two moments; saturates.
func difference(_ one: Int64, _ other: Int64) -> Int64 {
    let (result, overflow) = one.subtractingReportingOverflow(other)
    return overflow ? (one < 0 ? .min : .max) : result
}
