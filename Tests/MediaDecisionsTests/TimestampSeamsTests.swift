import MediaDecisions
import Testing

/// The timestamps of appended recordings. Times are tenths of a second here.
@Suite struct TimestampSeamsTests {
    private static func nanoseconds(_ tenths: Int64) -> Int64 { tenths * 100_000_000 }

    @Test(
        arguments: [
            ("no seam", [(0, 0), (1, 0), (0, 1), (1, 1)], [0, 0, 1, 1]),
            ("a restart", [(0, 20), (0, 21), (0, 0), (0, 1)], [20, 21, 22, 23]),
            ("a step forward", [(0, 0), (0, 1), (0, 1000), (0, 1001)], [0, 1, 2, 3]),
            ("a gap", [(0, 0), (0, 90), (0, 91)], [0, 90, 91]),
            ("a late packet", [(0, 20), (0, 17), (0, 21)], [20, 17, 21]),
            (
                "both tracks take one shift", [(0, 20), (1, 18), (0, 0), (1, 19), (1, 1), (0, 1)],
                [20, 18, 21, 19, 22, 22]
            ),
            ("two seams", [(0, 20), (0, 0), (0, 20), (0, 5)], [20, 21, 41, 42]),
        ] as [(String, [(track: Int, time: Int64)], [Int64])])
    func `timestamps after a seam continue from the part before`(
        name: String, packets: [(track: Int, time: Int64)], times: [Int64]
    ) {
        var seams = TimestampSeams()
        let shifted = packets.map { track, time in
            let time = Self.nanoseconds(time)
            return time + seams.shift(of: track, at: time, lasting: Self.nanoseconds(1))
        }
        #expect(shifted == times.map(Self.nanoseconds))
    }

    @Test(
        arguments: [
            ([], false), ([0], false), ([0, 10, 20, 31], false), ([0, 10, 0, 10], true),
            ([0, 5, 10, 1010, 1015], true), ([0, 500, 1000, 1600], false),
        ] as [([Int64], Bool)])
    func `a seam is found from the timestamps at some places of a file`(
        times: [Int64], isFound: Bool
    ) {
        #expect(TimestampSeams.areBetween(times.map(Self.nanoseconds)) == isFound)
    }

    @Test func `extreme times do not overflow`() {
        var seams = TimestampSeams()
        for time in [Int64.max, .min, 0, .max, .min] {
            _ = seams.shift(of: 0, at: time, lasting: .max)
        }
        #expect(TimestampSeams.areBetween([.max, .min, .max]))
    }
}
