import GreenroomMedia
import Testing

@Suite struct FrameRateTests {
    @Test(arguments: ["30", "15", "30000/1001", "24000/1001", "1", "1000", "1/2"])
    func `due times and nearest frames agree for ten hours`(text: String) throws {
        let rate = try #require(FrameRate(text))
        for index in [0, 1, 2, 29, 30, 31, 1001, 107_892, 1_078_920, 36_000_000] as [Int64] {
            let due = rate.dueNanoseconds(ofFrame: index)
            #expect(rate.nearestFrame(atNanoseconds: due) == index)
        }
    }

    @Test func `a due time is exact, not a sum of rounded intervals`() {
        #expect(FrameRate(30).dueNanoseconds(ofFrame: 3 * 30 * 3600) == 3 * 3600 * 1_000_000_000)
    }

    @Test(
        arguments: [
            (0, 0), (1, 1), (33_333_333, 1), (33_333_334, 2), (1_000_000_000, 30),
            (1_000_000_001, 31), (10_000_000_000, 300), (-5, 0), (Int64.max, 276_701_161_106),
        ] as [(Int64, Int64)])
    func `a period has the frames that are due in it`(nanoseconds: Int64, frames: Int64) {
        #expect(FrameRate(30).frameCount(inNanoseconds: nanoseconds) == frames)
    }

    @Test func `extremes neither trap nor wrap`() {
        #expect(FrameRate(30).dueNanoseconds(ofFrame: -1) == 0)
        #expect(FrameRate(1).dueNanoseconds(ofFrame: .max) == .max)
        #expect(FrameRate(1000).nearestFrame(atNanoseconds: .min) < 0)
        #expect(FrameRate(30).nearestFrame(atNanoseconds: -17_000_000) == -1)
        #expect(FrameRate(30).nearestFrame(atNanoseconds: -16_000_000) == 0)
    }

    @Test(arguments: ["0", "-1", "30/0", "1001", "30/1/1", "", "x", "30/"])
    func `an invalid rate is refused`(text: String) {
        #expect(FrameRate(text) == nil)
    }
}
