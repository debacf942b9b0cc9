import Testing

@testable import GreenroomAudio

@Suite struct AudioMixerTests {
    @Test func `audio that is behind is delivered ten times as fast as time passes`() {
        // The host stands still for three seconds after the first second.
        let (step, ms) = (Int64(480), Int64(1_000_000))
        var now: Int64 = 0
        var last: Int64?
        var times: [Int64] = []
        for number in 1...500 {
            let due = AudioMixer.due(Int64(number) * step, epoch: 0, after: last)
            now = max(now, due)
            if number == 101 { now += 3000 * ms }
            times.append(now)
            last = now
        }
        let gaps = zip(times.dropFirst(), times).map { ($0 - $1) / ms }
        #expect(gaps[..<99].allSatisfy { $0 == 10 } && gaps[99] == 3010)
        // 3000 ms behind, and 9 ms less with each.
        let behind = gaps[100...].prefix { $0 < 9 }
        #expect(
            (333...334).contains(behind.count) && behind.dropLast().allSatisfy { $0 == 1 },
            "\(behind.count)")
        #expect(gaps.suffix(60).allSatisfy { $0 == 10 })
    }

    @Test(arguments: [0, 1, 53, 54, 24 * 365, 24 * 365 * 100])
    func `a frame has its exact time after any number of hours`(hours: Int64) {
        let place = hours * 3600 * 48_000 + 480
        #expect(
            AudioMixer.nanoseconds(at: place) == hours * 3600 * 1_000_000_000 + 10_000_000)
    }
}
