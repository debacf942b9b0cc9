import RoomDecisions
import Testing

/// The delay of a guest's media.
@Suite struct ArrivalTests {
    /// Adds packets of audio, one every 20 ms.
    ///
    /// - Parameters:
    ///   - length: The duration of a packet, in milliseconds.
    ///   - lateness: The lateness of the packet of a number, in milliseconds.
    private func add(
        _ numbers: Range<Int>, length: Int64 = 20, to delay: inout ArrivalDelay,
        lateness: (Int) -> Int64
    ) {
        for number in numbers {
            delay.add(
                length: length * 1_000_000, lateness: lateness(number) * 1_000_000,
                at: Int64(number) * 20_000_000)
        }
    }

    private func milliseconds(_ delay: ArrivalDelay) -> Int64 { delay.nanoseconds / 1_000_000 }

    @Test func `video without audio, and the first packets, may be 80 ms late`() {
        var delay = ArrivalDelay()
        #expect(milliseconds(delay) == 0)
        add(0..<200, to: &delay) { _ in 0 }
        #expect(milliseconds(delay) == 20)
    }

    @Test(
        arguments: [
            // The jitter and the delay after 4 s, of packets of 20 ms.
            (-5000, -20), (0, -20), (30, -20), (35, -20), (36, 0), (55, 0), (56, 20), (80, 20),
            (5000, 20),
        ] as [(Int64, Int64)])
    func `the delay allows for jitter of 40 to 80 ms`(jitter: Int64, expected: Int64) {
        var delay = ArrivalDelay()
        add(0..<201, to: &delay) { $0 % 3 == 0 ? jitter : jitter / 2 }
        #expect(milliseconds(delay) == expected)
    }

    @Test(arguments: [10, 20, 40, 60, 120] as [Int64])
    func `the first sample of a packet that is 80 ms late is in time for the mix`(length: Int64) {
        var delay = ArrivalDelay()
        add(0..<1, length: length, to: &delay) { _ in 0 }
        #expect(milliseconds(delay) - length + 100 == 80 + 20)
    }

    @Test func `a longer packet moves all media, and shorter ones change nothing`() {
        var delay = ArrivalDelay()
        add(0..<1, to: &delay) { _ in 0 }
        add(1..<2, length: 60, to: &delay) { _ in 0 }
        #expect(milliseconds(delay) == 60)
        add(2..<10, to: &delay) { _ in 0 }
        #expect(milliseconds(delay) == 60)
    }

    @Test func `a late packet raises the delay, which falls later after each growth`() {
        var delay = ArrivalDelay()
        var number = 0
        for (lateness, raised, seconds) in [
            (0, 20, 4), (41, 0, 8), (61, 20, 16), (5000, 20, 32), (70, 20, 64), (70, 20, 64),
        ] as [(Int64, Int64, Int)] {
            add(number..<number + 1, to: &delay) { _ in lateness }
            #expect(milliseconds(delay) == raised)
            let first = number
            number += 1
            while milliseconds(delay) > -20, number - first < 10_000 {
                add(number..<number + 1, to: &delay) { _ in 10 }
                number += 1
            }
            #expect((number - first) / 50 == seconds)
        }
    }

    @Test func `extreme times do not trap`() {
        var delay = ArrivalDelay()
        for time in [Int64.min, .max, 0, .min, .max] {
            delay.add(length: 20_000_000, lateness: time, at: time)
            #expect(ArrivalDelay.allowances.contains(delay.allowance))
        }
    }

    @Test(
        arguments: [
            // SILK, hybrid and CELT, in one frame.
            ([0x00], 10_000), ([0x08], 20_000), ([0x10], 40_000), ([0x58], 60_000),
            ([0x60], 10_000), ([0x78], 20_000), ([0x80], 2500), ([0xf8], 20_000),
            // Two frames, and a count of frames.
            ([0xf9], 40_000), ([0x1a], 120_000), ([0xfb, 3], 60_000), ([0x83, 0xc0 + 48], 120_000),
            // More than 120 ms, no frame, no count, nothing.
            ([0x1b, 3], nil), ([0xfb, 0x80], nil), ([0xfb], nil), ([], nil),
        ] as [([UInt8], Int64?)])
    func `the first bytes of an Opus packet give its duration`(
        bytes: [UInt8], microseconds: Int64?
    ) {
        let duration = bytes.withUnsafeBufferPointer { OpusPacket.duration(of: $0) }
        #expect(duration == microseconds.map { $0 * 1000 })
    }
}
