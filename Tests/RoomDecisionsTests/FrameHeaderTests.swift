import GreenroomMedia
import RoomDecisions
import TestSupport
import Testing

/// The headers of frames that guests send.
@Suite struct FrameHeaderTests {
    // MARK: VP8

    private func keyFrame(_ bytes: [UInt8]) -> VP8KeyFrame? {
        bytes.withUnsafeBufferPointer { VP8KeyFrame($0) }
    }

    @Test func `the size of a key frame is read, without its scaling bits`() {
        let bytes: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x45, 0xd0, 0x02]
        #expect(keyFrame(bytes)?.size == FrameSize(width: 1280, height: 720))
        #expect(keyFrame([0x11] + bytes.dropFirst()) == nil)
        #expect(keyFrame(Array(bytes.dropLast())) == nil)
        #expect(keyFrame([]) == nil)
        var random = SeededGenerator(seed: 8)
        for _ in 0..<2000 { _ = keyFrame(random.mutation(of: bytes)) }
    }

    // MARK: H.264

    private func headers(_ bytes: [UInt8]) -> H264Headers {
        bytes.withUnsafeBufferPointer { H264Headers($0) }
    }

    /// Sequence parameter sets: a baseline one with a row count of fields, and a high one with a byte that
    /// keeps it from looking like a start.
    private static let high: [UInt8] = [
        0, 0, 0, 1, 0x67, 0x64, 0x00, 0x28, 0xac, 0xd9, 0x40, 0x78, 0x02, 0x27, 0xe5, 0xc0, 0x44, 0,
        0,
        3, 0, 4, 0, 0, 3, 0, 0xf0, 0x3c, 0x60, 0xc6, 0x58,
    ]
    /// Profile 66, order type 2, one reference, 80 by 45 macroblocks.
    private static let baseline: [UInt8] = [
        0, 0, 1, 0x67, 0x42, 0xc0, 0x1f, 0xda, 0x01, 0x40, 0x16, 0xe4,
    ]
    private static let picture: [UInt8] = [0, 0, 1, 0x65, 0x88, 0x84]

    @Test func `the size of a key frame of H.264 is read, in macroblocks`() {
        let key = headers(Self.high + Self.picture)
        #expect(key.isKey && key.size == FrameSize(width: 1920, height: 1088))
        let other = headers(Self.baseline + Self.picture)
        #expect(other.isKey && other.size == FrameSize(width: 1280, height: 720), "\(other)")
        #expect(headers(Self.baseline + Self.high).size == FrameSize(width: 1920, height: 1088))
        let later = headers([0, 0, 1, 0x41, 0x9a])
        #expect(!later.isKey && later.size == nil && !later.isBroken)
        #expect(!headers(Self.picture).isKey)
    }

    @Test func `a truncated H.264 header counts as broken, and random headers do not crash`() {
        for count in 5..<12 {
            let part = headers(Array(Self.high.prefix(count)))
            #expect(part.isBroken && !part.isKey && part.size == nil, "\(count)")
        }
        var random = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = headers([0, 0, 1, 0x67] + bytes + [0, 0, 1])
            _ = headers(random.mutation(of: Self.high + Self.picture))
        }
        #expect(headers([]) == headers([0, 0, 1]))
    }

    @Test func `parameter sets between the slices of a frame become filler`() {
        var repeats = H264Repeats()
        // The header of the unit, the time of the frame, and whether the unit becomes filler.
        for (unit, time, isFiller) in [
            (0x67, 1, false), (0x68, 1, false), (0x65, 1, false), (0x67, 1, true), (0x68, 1, true),
            (0x65, 1, false), (0x67, 2, false), (0x7c, 2, false), (0x68, 2, true), (0x41, 3, false),
            (0x78, 3, false),
        ] as [(UInt8, UInt8, Bool)] {
            let packet: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, time, 0, 0, 0, 1, unit, 66, 0, 0]
            let header = packet.withUnsafeBufferPointer { repeats.header(in: $0) }
            #expect(header == (isFiller ? 12 : nil), "\(unit) \(time)")
        }
        let none = [UInt8](repeating: 0x80, count: 3).withUnsafeBufferPointer {
            repeats.header(in: $0)
        }
        #expect(none == nil)
    }
}
