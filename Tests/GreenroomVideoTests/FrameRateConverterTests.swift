import GreenroomMedia
import Testing

@testable import GreenroomVideo

@Suite struct FrameRateConverterTests {
    private typealias Claim = FrameRateConverter.Claim

    /// Slots of frames at 10 a second, in milliseconds: time to show and arrival.
    private func claims(
        _ pace: OutputPace, endSlot: Int64? = nil, _ frames: [(shows: Int64, comes: Int64)]
    ) -> [Claim] {
        var schedule = FrameRateConverter(rate: FrameRate(10), pace: pace, endSlot: endSlot)
        var grid = TakingGrid(rate: FrameRate(10))
        return frames.map {
            schedule.claim(grid.take($0.shows * 1_000_000), at: $0.comes * 1_000_000)
        }
    }

    private func slot(_ slot: Int64, delayed: Bool = false) -> Claim {
        .slot(slot, isDelayed: delayed)
    }

    @Test(arguments: [OutputPace.asTheyCome, .onSchedule])
    func `the first frame of a period is shown, and later frames count as excess`(pace: OutputPace)
    {
        let found = claims(pace, [(0, 0), (30, 30), (60, 60), (90, 90), (110, 110), (210, 210)])
        #expect(found == [slot(0), .excess, slot(1), .excess, .excess, slot(2)])
    }

    @Test func `a frame that misses its slot is shown in the next free slot`() {
        // Slot n is due at 100 (n + 1) ms: at 350 ms the slots 0 to 2 are past.
        let found = claims(.onSchedule, [(0, 0), (100, 350), (400, 400)])
        #expect(found == [slot(0), slot(3, delayed: true), slot(4)])
    }

    @Test func `two frames of a burst wait, and frames in time show on time`() {
        let burst = (0..<20).map { (shows: Int64($0) * 100, comes: Int64(1510)) }
        let found = claims(.onSchedule, burst + [(2000, 2000)])
        let late = [slot(15, delayed: true), slot(16, delayed: true)]
        let excess = [Claim](repeating: .excess, count: 15)
        #expect(found == late + excess + [slot(17), slot(18), slot(19), slot(20)])
    }

    @Test func `a source with a constant delay loses nothing`() {
        // Each arrives about when a slot is due, sometimes before and sometimes after.
        let frames = (0..<50).map { (shows: $0 * 100, comes: $0 * 100 + 200 + $0 % 3 - 1) }
        let found = claims(.onSchedule, frames.map { (Int64($0.shows), Int64($0.comes)) })
        #expect(!found.contains(.excess), "\(found)")
    }

    @Test func `a slot ends exactly when it is due`() {
        for pace in [OutputPace.asTheyCome, .onSchedule] {
            for rate in [FrameRate(30), FrameRate(1), FrameRate(120), FrameRate(1000)]
                + [FrameRate(numerator: 30_000, denominator: 1001)].compactMap(\.self)
            {
                let schedule = FrameRateConverter(rate: rate, pace: pace, endSlot: nil)
                for slot in [0, 1, 2, 29, 107_891] as [Int64] {
                    let due = schedule.due(slot)
                    #expect(schedule.firstOpenSlot(at: due) == slot + 1, "\(pace) \(rate)")
                    #expect(schedule.firstOpenSlot(at: due - 1) == slot, "\(pace) \(rate)")
                }
            }
        }
    }

    @Test func `a live slot is due after the audio's delay, a recorded slot after 1 s`() {
        let live = FrameRateConverter(rate: FrameRate(25), pace: .onSchedule, endSlot: nil)
        #expect((0..<3).map(live.due) == [100_000_000, 140_000_000, 180_000_000])
        let file = FrameRateConverter(rate: FrameRate(25), pace: .asTheyCome, endSlot: nil)
        #expect((0..<3).map(file.due) == [1_040_000_000, 1_080_000_000, 1_120_000_000])
    }

    @Test func `frames before the start and after the end are distinguished`() {
        let found = claims(
            .onSchedule, endSlot: 5, [(-100, 0), (-40, 0), (500, 0), (400, 0), (350, 900)])
        #expect(found == [.beforeStart, slot(0), .afterEnd, slot(4), .excess])
        // A frame delayed beyond the end is late, too.
        #expect(claims(.onSchedule, endSlot: 5, [(0, 2000)]) == [.afterEnd])
    }

    @Test func `at most 16 frames wait, and each slot that is due makes room for one`() {
        let rate = FrameRate(120)
        var schedule = FrameRateConverter(rate: rate, pace: .onSchedule, endSlot: nil)
        var grid = TakingGrid(rate: rate)
        let ahead = (0..<17).map {
            schedule.claim(grid.take(rate.dueNanoseconds(ofFrame: $0)), at: 0)
        }
        #expect(ahead.prefix(16).allSatisfy { $0 != .full } && ahead.last == .full)
        // After the first one's slot there is room for one.
        let due = schedule.due(0)
        let (next, last) = (
            grid.take(rate.dueNanoseconds(ofFrame: 17)), grid.take(rate.dueNanoseconds(ofFrame: 18))
        )
        #expect(schedule.claim(next, at: due - 1) == .full)
        #expect(schedule.claim(next, at: due) == slot(17))
        #expect(schedule.claim(last, at: due) == .full)
    }

    @Test func `every frame that arrives in time has room at 120 fps`() {
        let rate = FrameRate(120)
        var schedule = FrameRateConverter(rate: rate, pace: .onSchedule, endSlot: nil)
        var grid = TakingGrid(rate: rate)
        for index in 0..<1200 as Range<Int64> {
            let moment = rate.dueNanoseconds(ofFrame: index)
            #expect(schedule.claim(grid.take(moment), at: moment) == slot(index))
        }
    }

    @Test func `black uses the current slot, or the next free one`() {
        var schedule = FrameRateConverter(rate: FrameRate(10), pace: .onSchedule, endSlot: 50)
        var grid = TakingGrid(rate: FrameRate(10))
        #expect(schedule.claim(from: grid.point(at: 1_000_000_000), nextSlot: 10) == 10)
        #expect(schedule.claim(grid.take(1_100_000_000), at: 1_100_000_000) == slot(11))
        #expect(schedule.claim(from: grid.point(at: 1_110_000_000), nextSlot: 10) == 12)
        #expect(schedule.claim(from: grid.point(at: 2_000_000_000), nextSlot: 30) == 30)
        #expect(schedule.claim(from: grid.point(at: 9_000_000_000), nextSlot: 10) == nil)
    }
}
