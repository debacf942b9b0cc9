/// The first bytes of an Opus packet (RFC 6716, 3).
package enum OpusPacket {
    /// The longest duration of a packet, in nanoseconds.
    private static let longest: Int64 = 120_000_000

    /// The duration of a packet's audio in nanoseconds; nil if the packet is invalid.
    package static func duration(of bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let first = bytes.first else { return nil }
        let configuration = Int(first >> 3)
        let microseconds: InlineArray<4, Int64> =
            switch configuration {
            case ..<12: [10_000, 20_000, 40_000, 60_000]
            case ..<16: [10_000, 20_000, 10_000, 20_000]
            default: [2_500, 5_000, 10_000, 20_000]
            }
        let frames: Int64
        switch first & 3 {
        case 0: frames = 1
        case 3:
            guard bytes.count > 1 else { return nil }
            frames = Int64(bytes[1] & 0x3f)
        default: frames = 2
        }
        let duration = frames * microseconds[configuration & 3] * 1000
        return (1...longest).contains(duration) ? duration : nil
    }
}
