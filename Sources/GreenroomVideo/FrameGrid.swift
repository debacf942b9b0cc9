import GreenroomMedia

/// Tells which period of a rate a moment falls on.
///
/// Periods are counted from the first moment: a source that keeps time lies in the middle of its
/// periods then, and jitter of up to half a period moves no frame to another one. The end of a
/// period is a little later than halfway to the next: every second frame of a source that is
/// twice as fast lies just there, and must not fall now on this side and now on that.
///
/// After half a second of silence periods are counted from the next moment, since a source that
/// begins again does so at any point of a period.
struct FrameGrid: Sendable {
    private struct Anchor {
        var nanoseconds: Int64
        var period: Int64
    }

    private static let silence: Int64 = 500_000_000

    let rate: FrameRate
    private var anchor: Anchor?
    private var newest: Int64 = 0

    init(rate: FrameRate) {
        self.rate = rate
    }

    /// The period of a moment.
    func period(at nanoseconds: Int64) -> Int64 {
        Self.period(at: nanoseconds, from: anchor(for: nanoseconds), rate)
    }

    /// Counts from a moment, if it is the first, or the first after a silence.
    ///
    /// - Returns: The middle of its period: where it would lie if the source kept time.
    @discardableResult
    mutating func take(_ nanoseconds: Int64) -> Int64 {
        let anchor = anchor(for: nanoseconds)
        self.anchor = anchor
        newest = nanoseconds
        let period = Self.period(at: nanoseconds, from: anchor, rate)
        return Self.sum(
            anchor.nanoseconds, rate.dueNanoseconds(ofFrame: period - anchor.period))
    }

    private static func period(at nanoseconds: Int64, from anchor: Anchor, _ rate: FrameRate)
        -> Int64
    {
        let since = difference(nanoseconds, anchor.nanoseconds)
        let margin = rate.dueNanoseconds(ofFrame: 1) / 32
        return sum(anchor.period, rate.nearestFrame(atNanoseconds: difference(since, margin)))
    }

    private func anchor(for nanoseconds: Int64) -> Anchor {
        let silence = max(Self.silence, rate.dueNanoseconds(ofFrame: 2))
        if let anchor, Self.difference(nanoseconds, newest) < silence { return anchor }
        return Anchor(
            nanoseconds: nanoseconds, period: rate.nearestFrame(atNanoseconds: nanoseconds))
    }

    private static func difference(_ one: Int64, _ other: Int64) -> Int64 {
        let (result, overflow) = one.subtractingReportingOverflow(other)
        return overflow ? (one < 0 ? .min : .max) : result
    }

    private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
        let (result, overflow) = one.addingReportingOverflow(other)
        return overflow ? (one < 0 ? .min : .max) : result
    }
}
