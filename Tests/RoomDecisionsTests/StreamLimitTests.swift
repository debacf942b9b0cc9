import RoomDecisions
import Testing

/// What a stream of packets may bring.
@Suite struct StreamLimitTests {
    private static let second: UInt64 = 1_000_000_000

    /// Adds packets evenly.
    ///
    /// - Returns: The first excess, and after how many packets.
    private func add(
        _ count: Int, aSecond rate: Int, of bytes: Int, frameEvery frame: Int?,
        to bounds: StreamLimit.Bounds
    ) -> (excess: StreamLimit.Excess, after: Int)? {
        var limit = StreamLimit(bounds)
        for index in 0..<count {
            let now = UInt64(index) * Self.second / UInt64(rate)
            let ends = frame.map { index % $0 == $0 - 1 } ?? false
            if let excess = limit.add(bytes: bytes, endsFrame: ends, at: now) {
                return (excess, index + 1)
            }
        }
        return nil
    }

    @Test func `the packets of browsers are within the limit`() {
        // 720p30 with 2.5 Mbit/s, 60 fps with 8, and a share's key frame of 400 kB.
        #expect(add(20_000, aSecond: 270, of: 1180, frameEvery: 9, to: .video) == nil)
        #expect(add(60_000, aSecond: 900, of: 1180, frameEvery: 15, to: .video) == nil)
        #expect(add(4000, aSecond: 1000, of: 1180, frameEvery: 340, to: .video) == nil)
        // Opus with packets of 2.5 ms, and of 20 ms with 510 kbit/s.
        #expect(add(10_000, aSecond: 400, of: 100, frameEvery: nil, to: .audio) == nil)
        #expect(add(10_000, aSecond: 50, of: 1275, frameEvery: nil, to: .audio) == nil)
    }

    @Test func `a frame without an end exceeds the limit, in bytes and in packets`() {
        let large = add(10_000, aSecond: 800, of: 1200, frameEvery: nil, to: .video)
        #expect(large?.excess == .endlessFrame && (large?.after ?? 0) < 1700)
        let many = add(10_000, aSecond: 800, of: 13, frameEvery: nil, to: .video)
        #expect(many?.excess == .endlessFrame && many?.after == 4001)
        // However slowly it grows.
        let slow = add(10_000, aSecond: 20, of: 1200, frameEvery: nil, to: .video)
        #expect(slow?.excess == .endlessFrame)
    }

    @Test func `packets that a network holds back for two seconds are within the limit`() {
        var limit = StreamLimit(.video)
        for index in 0..<1000 {
            let due = UInt64(index) * Self.second / 60
            // All of the seconds 5 and 6 comes at the begin of 7.
            let isHeld = due >= 5 * Self.second && due < 7 * Self.second
            let now = isHeld ? 7 * Self.second : due
            #expect(limit.add(packets: 15, bytes: 17_000, endsFrame: true, at: now) == nil)
        }
        // As much once more is too much, and only its frames are dropped.
        let excesses = (0..<120).compactMap { _ in
            limit.add(packets: 15, bytes: 17_000, endsFrame: true, at: 17 * Self.second)
        }
        #expect(excesses.isEmpty)
        #expect(
            (0..<120).contains { _ in
                limit.add(packets: 15, bytes: 17_000, endsFrame: true, at: 17 * Self.second)
                    == .frames
            })
    }

    @Test func `frames that were held back for 6 s are dropped, and the stream continues`() {
        var limit = StreamLimit(.video)
        var dropped = 0
        for index in 0..<600 {
            let due = UInt64(index) * Self.second / 30
            let isHeld = due >= 5 * Self.second && due < 11 * Self.second
            let excess = limit.add(
                packets: 9, bytes: 10_000, endsFrame: true, at: isHeld ? 11 * Self.second : due)
            if excess != nil { dropped += 1 }
            #expect(excess?.isFatal != true)
            // Half a second later there is room for each frame.
            if due > 11 * Self.second + Self.second / 2 { #expect(excess == nil) }
        }
        #expect((30...45).contains(dropped), "\(dropped)")
    }

    @Test func `too many packets, bytes or frames exceed the limit, at once or evenly`() {
        let packets = add(60_000, aSecond: 5000, of: 13, frameEvery: 100, to: .video)
        #expect(packets?.excess == .packets && (packets?.after ?? 0) > 8000)
        let atOnce = add(9000, aSecond: 1_000_000, of: 13, frameEvery: 100, to: .video)
        #expect(atOnce?.excess == .packets && (8000..<8100).contains(atOnce?.after ?? 0))
        #expect(add(20_000, aSecond: 3000, of: 1200, frameEvery: 60, to: .video)?.excess == .bytes)
        #expect(add(1000, aSecond: 100, of: 100, frameEvery: 1, to: .video)?.excess == .frames)
        #expect(add(1000, aSecond: 74, of: 100, frameEvery: 1, to: .video) == nil)
        let excesses: [StreamLimit.Excess] = [.packets, .bytes, .frames, .endlessFrame]
        #expect(excesses.map(\.isFatal) == [true, true, false, true])
        #expect(add(9000, aSecond: 600, of: 50, frameEvery: nil, to: .audio)?.excess == .packets)
        #expect(add(9000, aSecond: 400, of: 1200, frameEvery: nil, to: .audio)?.excess == .bytes)
    }
}
