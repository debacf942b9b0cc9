import Testing

@testable import GreenroomRuntime

@Suite struct IntervalHistogramTests {
    /// A percentile of a sorted list (nearest rank).
    private func percentile(_ percent: Int, of sorted: [Int64]) -> Int64 {
        sorted[(sorted.count * percent + 99) / 100 - 1]
    }

    /// Reproducible numbers, evenly distributed over magnitudes.
    private func numbers(_ count: Int, seed: UInt64) -> [Int64] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 22 & (1 << 42 - 1)) >> Int64(state >> 58 % 42)
        }
    }

    @Test(arguments: [1, 2, 3, 99, 100, 101, 1000, 20_000], [1, 2, 3] as [UInt64])
    func `percentiles are exact to 1 %`(
        count: Int, seed: UInt64
    ) {
        var histogram = IntervalHistogram()
        let values = numbers(count, seed: seed)
        for value in values { histogram.record(value) }
        let sorted = values.sorted()
        let summary = histogram.summary
        #expect(summary.count == count)
        #expect(summary.maximum == sorted.last)
        for (found, percent) in [(summary.p50, 50), (summary.p99, 99)] {
            let exact = percentile(percent, of: sorted)
            #expect(
                abs(found - exact) * 100 <= exact, "p\(percent) is \(found) and should be \(exact)")
        }
    }

    @Test func `times below 128 ns are exact`() {
        for value in 0..<128 as Range<Int64> {
            var histogram = IntervalHistogram()
            histogram.record(value)
            histogram.record(1_000_000)
            #expect(histogram.summary.p50 == value)
        }
    }

    @Test func `an empty histogram has zeros`() {
        var histogram = IntervalHistogram()
        #expect(histogram.summary == IntervalHistogram.Summary())
        histogram.record(5, times: 0)
        #expect(histogram.summary == IntervalHistogram.Summary())
    }

    @Test func `a duration that is recorded n times counts n times`() {
        var histogram = IntervalHistogram()
        histogram.record(7, times: 99)
        histogram.record(100)
        #expect(histogram.summary == .init(count: 100, p50: 7, p99: 7, maximum: 100))
    }

    @Test func `negative and huge durations do not trap`() {
        var histogram = IntervalHistogram()
        for value in [.min, -1, .max] as [Int64] { histogram.record(value) }
        #expect(histogram.summary.maximum == .max)
        #expect(histogram.summary.p50 == 0)
    }
}
