import GreenroomMedia
import Testing

@testable import GreenroomVideo

@Suite struct FrameGridTests {
    private static let period: Int64 = 1_000_000_000 / 30

    /// The periods of consecutive times.
    private func periods(_ moments: [Int64], fps: Int = 30) -> [Int64] {
        var grid = FrameGrid(rate: FrameRate(fps))
        return moments.map { moment in
            let period = grid.period(at: moment)
            grid.take(moment)
            return period
        }
    }

    @Test(arguments: [0, 1, 10_000_000, 16_666_667, 33_333_332] as [Int64])
    func `a regular source has a period for each frame, at any phase`(
        phase: Int64
    ) {
        let rate = FrameRate(30)
        for jitter in [0, 15_000_000, -15_000_000] as [Int64] {
            let moments = (0..<300).map { (index: Int) -> Int64 in
                let moment = rate.dueNanoseconds(ofFrame: Int64(index)) + phase
                guard index > 0 else { return moment }
                return index % 2 == 0 ? moment + jitter : moment - jitter
            }
            let periods = periods(moments)
            #expect(zip(periods.dropFirst(), periods).allSatisfy { $0 - $1 == 1 })
        }
    }

    @Test(arguments: [2, 3, 4, 8])
    func `a multiple of the rate has equally many frames in each period`(factor: Int) {
        let rate = FrameRate(30 * factor)
        let moments = (0..<600).map { rate.dueNanoseconds(ofFrame: Int64($0)) }
        let counts = Dictionary(grouping: periods(moments)) { $0 }.mapValues(\.count)
        let ends = [counts.keys.min(), counts.keys.max()]
        #expect(counts.allSatisfy { $0.value == factor || ends.contains($0.key) }, "\(counts)")
    }

    @Test func `a returning source gets a new phase`() {
        // Half a period later than before: between two periods.
        let begin = 31 * Self.period + Self.period / 2
        let rate = FrameRate(30)
        let after = (0..<30).map { (index: Int64) -> Int64 in
            begin + rate.dueNanoseconds(ofFrame: index) + index % 2 * 1000 - 500
        }
        let periods = periods([0] + after)
        #expect(zip(periods.dropFirst(2), periods.dropFirst()).allSatisfy { $0 - $1 == 1 })
    }

    @Test func `a regular source is in the middle of its periods`() {
        var grid = FrameGrid(rate: FrameRate(10))
        #expect(grid.take(1_020_000_000) == 1_020_000_000)
        #expect(grid.take(1_125_000_000) == 1_120_000_000)
        #expect(grid.take(1_180_000_000) == 1_220_000_000)
    }

    @Test func `extreme times do not trap`() {
        let moments = [0, .max, .min, .max, 0, .min] as [Int64]
        #expect(periods(moments).count == moments.count)
        #expect(periods(moments.reversed(), fps: 1000).count == moments.count)
    }
}
