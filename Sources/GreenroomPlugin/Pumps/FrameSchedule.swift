internal import GreenroomMedia

/// The due times of frames. Frame n is due exactly n / rate after the anchor, even if earlier frames were late.
struct FrameSchedule: Equatable {
    /// A frame whose due time is known, from which the others are counted.
    private(set) var anchorIndex: Int64 = 0
    private(set) var anchorNanoseconds: Int64
    private(set) var rate: FrameRate

    init(startNanoseconds: Int64, rate: FrameRate) {
        anchorNanoseconds = startNanoseconds
        self.rate = rate
    }

    /// The due time of a frame, in nanoseconds on the session clock.
    func due(_ index: Int64) -> Int64 {
        let offset = rate.dueNanoseconds(ofFrame: index - anchorIndex)
        let (sum, overflow) = anchorNanoseconds.addingReportingOverflow(offset)
        return overflow ? .max : sum
    }

    /// The frame to make next: the one after the last, unless that is late by more than a
    /// frame. Then it is the last one that is due already, and those between are skipped.
    func slot(next: Int64, nowNanoseconds now: Int64) -> Int64 {
        guard now > due(next + 1) else { return next }
        let (elapsed, overflow) = now.subtractingReportingOverflow(anchorNanoseconds)
        guard !overflow else { return next }
        let nearest = anchorIndex + rate.nearestFrame(atNanoseconds: elapsed)
        return max(due(nearest) > now ? nearest - 1 : nearest, next)
    }

    /// Continues at another rate from a frame, which keeps its due time.
    mutating func change(to rate: FrameRate, from index: Int64) {
        anchorNanoseconds = due(index)
        anchorIndex = index
        self.rate = rate
    }
}
