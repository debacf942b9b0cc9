import GreenroomMedia
import Testing

@testable import GreenroomPlugin

@Suite struct ScheduleTests {
    @Test(
        arguments: [
            // now in ms, next, slot
            (0, 0, 0), (100, 3, 3), (133, 3, 3), (134, 3, 4), (1000, 3, 30), (1000, 31, 31),
            (-5000, 0, 0),
        ] as [(Int64, Int64, Int64)])
    func `a schedule of 30 frames a second returns the slot of a time`(
        milliseconds: Int64, next: Int64, slot: Int64
    ) {
        let schedule = FrameSchedule(startNanoseconds: 77, rate: FrameRate(30))
        let now = 77 + milliseconds * 1_000_000
        #expect(schedule.slot(next: next, nowNanoseconds: now) == slot)
    }

    @Test func `work that sleeps in every frame is reported, and single delays are not`() {
        var delayed = ShortestSleep()
        for time in 0..<20 { delayed.add(time == 7 ? 1_000_000 : 90_000_000) }
        #expect(delayed.complaint(about: "drawing", within: 10_000_000) == nil)
        var sleeping = ShortestSleep()
        for _ in 0..<9 { sleeping.add(50_400_000) }
        #expect(sleeping.complaint(about: "drawing", within: 10_000_000) == nil)
        sleeping.add(60_000_000)
        let line = sleeping.complaint(about: "drawing", within: 10_000_000)
        #expect(line?.hasPrefix("drawing sleeps for at least 50 ms each time") == true)
        #expect(sleeping.complaint(about: "drawing", within: 51_000_000) == nil)
    }

    @Test func `the schedule picks the newest slot that is due`() {
        let schedule = FrameSchedule(
            startNanoseconds: -5,
            rate: FrameRate(numerator: 30_000, denominator: 1001) ?? FrameRate(1))
        for step in 0..<5_000 as Range<Int64> {
            let now = step * 7_777_777
            let slot = schedule.slot(next: 0, nowNanoseconds: now)
            #expect(slot == 0 || schedule.due(slot) <= now)
            #expect(slot == 0 || schedule.due(slot + 1) > now)
        }
    }

    @Test func `extreme times neither trap nor wrap`() {
        let late = FrameSchedule(startNanoseconds: .min, rate: FrameRate(1000))
        #expect(late.slot(next: 0, nowNanoseconds: .max) == 0)
        #expect(FrameSchedule(startNanoseconds: .max, rate: FrameRate(1)).due(5) == .max)
        let samples = SampleSchedule(startNanoseconds: .max, sampleRate: 0)
        #expect(samples.due(sample: .max) == .max)
        #expect(samples.block(next: 3, nowNanoseconds: .min) == 3)
    }

    @Test(arguments: [11_025, 22_050])
    func `an hour of blocks has an hour of samples`(rate: Int) {
        let schedule = SampleSchedule(startNanoseconds: 0, sampleRate: rate)
        var sum = 0
        for block in 0..<360_000 as Range<Int64> {
            let count = schedule.count(ofBlock: block)
            sum += count
            guard count <= schedule.largestCount, count >= rate / 100 else {
                Issue.record("block \(block) has \(count) samples")
                return
            }
        }
        #expect(sum == rate * 3600)
        #expect(schedule.due(sample: Int64(sum)) == 3600 * 1_000_000_000)
    }
}
