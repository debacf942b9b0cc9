import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomVideo

@Suite struct FrameGridTests {
    private static let period: Int64 = 1_000_000_000 / 30

    /// The periods of consecutive times.
    private func periods(_ moments: [Int64], fps: Int = 30) -> [Int64] {
        var grid = TakingGrid(rate: FrameRate(fps))
        return moments.map { grid.take($0).period(of: FrameRate(fps)) }
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
    func `a source at a multiple of the rate has equally many frames in each period`(factor: Int) {
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

    @Test func `periods of all output rates are on one grid from the first frame on`() {
        var grid = TakingGrid(rate: FrameRate(30))
        // A little before the middle between two periods of 15 frames a second.
        let begin: Int64 = 1_030_000_000
        let points = (0..<60).map { grid.take(begin + FrameRate(30).dueNanoseconds(ofFrame: $0)) }
        #expect(points.map { $0.period(of: FrameRate(30)) } == (31..<91).map(Int64.init))
        #expect(points.map { $0.period(of: FrameRate(15)) } == (0..<60).map { 15 + $0 / 2 })
        #expect(points.map { $0.period(of: FrameRate(60)) } == (0..<60).map { 62 + 2 * $0 })
    }

    @Test func `a frame with its own period at the track's rate has one at the output's rate`() {
        var random = SeededGenerator(seed: 5)
        let rate = FrameRate(30)
        var work = FrameGrid()
        var last: Int64 = .min
        var moment: Int64 = 0
        for _ in 0..<20_000 {
            // Mostly within a period; sometimes a silence.
            let isSilent = random.integer(0..<20) == 0
            moment += Int64(random.integer(0..<(isSilent ? 2_000_000_000 : 40_000_000)))
            let point = work.point(at: moment, rate: rate)
            if let newest = work.newest, point.period(of: rate) <= newest.period(of: rate) {
                continue
            }
            work.take(point)
            #expect(point.period(of: rate) > last)
            last = point.period(of: rate)
        }
    }

    @Test func `extreme times do not trap`() {
        let moments = [0, .max, .min, .max, 0, .min] as [Int64]
        #expect(periods(moments).count == moments.count)
        #expect(periods(moments.reversed(), fps: 1000).count == moments.count)
    }
}
