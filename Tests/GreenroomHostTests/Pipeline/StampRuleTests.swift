import Testing

@testable import GreenroomHost

@Suite struct StampRuleTests {
    let now: Int64 = 3_600_000_000_000

    @Test func `stamps near their arrival are believed`() {
        for offset in [0, -1, 1, -5_000_000_000, 1_000_000_000, -40_000_000] as [Int64] {
            #expect(StampRule.isCredible(now + offset, arrival: now))
        }
    }

    @Test func `wall clocks, counters from zero and extremes are not`() {
        for pts in [
            0, 33_333_333, 1_790_000_000_000_000_000, .max, .min, now - 5_000_000_001,
            now + 1_000_000_001, now / 1_000_000,
        ] as [Int64] {
            #expect(!StampRule.isCredible(pts, arrival: now))
        }
    }
}
