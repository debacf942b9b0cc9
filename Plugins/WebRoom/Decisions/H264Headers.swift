package import GreenroomMedia

/// The properties of an H.264 frame (ITU-T H.264, Annex B) that the room needs before decoding.
package struct H264Headers: Equatable {
    /// Whether the frame can be decoded without earlier frames.
    package private(set) var isKey = false
    /// The largest size in the frame's parameter sets; nil if the frame has none and the earlier
    /// size applies.
    package private(set) var size: FrameSize?
    /// Whether a header of the frame is invalid.
    package private(set) var isBroken = false

    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var (hasHeader, hasPicture, sets) = (false, false, 0)
        var index = 0
        while index + 3 < bytes.count {
            // A NAL unit begins with 00 00 01 and a header of one byte.
            guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else {
                index += 1
                continue
            }
            index += 3
            switch bytes[index] & 0x1f {
            case 5: hasPicture = true
            case 7:
                // Limit the number of sets, because reading each takes time. Encoders send one or
                // two.
                sets += 1
                guard sets <= 4, let size = Self.size(bytes, after: index) else {
                    isBroken = true
                    return
                }
                hasHeader = true
                let known = self.size ?? size
                self.size = FrameSize(
                    width: max(known.width, size.width), height: max(known.height, size.height))
            // NAL units of the scalable and multi-view extensions have their own sizes. No browser
            // sends them.
            case 14, 15, 20, 21:
                isBroken = true
                return
            default: break
            }
        }
        isKey = hasHeader && hasPicture
    }

    /// Reads the size in a parameter set of an RTP payload (RFC 6184): a single unit, or an aggregate.
    package init(unit content: UnsafeBufferPointer<UInt8>) {
        var index = 0
        if content.first.map({ $0 & 0x1f == 24 }) ?? false {
            index = 3
            while index < content.count, content[index] & 0x1f != 7 {
                index += 2 + (Int(content[index - 2]) << 8 | Int(content[index - 1]))
            }
        }
        guard index < content.count, content[index] & 0x1f == 7 else { return }
        size = Self.size(content, after: index)
    }

    // MARK: A sequence parameter set (7.3.2.1.1)

    /// Profiles whose parameter sets contain more fields about colour.
    private static let highProfiles: Set<UInt32> = [
        44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244,
    ]

    /// The size in whole macroblocks; nil if the set is invalid.
    private static func size(
        _ bytes: UnsafeBufferPointer<UInt8>, after header: Int
    ) -> FrameSize? {
        var bits = BitReader(bytes, from: header + 1)
        let profile = bits.read(8)
        bits.skip(16)
        _ = bits.unsigned()
        if highProfiles.contains(profile) { skipColors(&bits) }
        _ = bits.unsigned()
        switch bits.unsigned() {
        case 0: _ = bits.unsigned()
        case 1:
            bits.skip(1)
            _ = bits.unsigned()
            _ = bits.unsigned()
            let count = bits.unsigned()
            guard count <= 255 else { return nil }
            for _ in 0..<count { _ = bits.unsigned() }
        default: break
        }
        _ = bits.unsigned()
        bits.skip(1)
        let (columns, rows) = (bits.unsigned(), bits.unsigned())
        let isFrame = bits.read(1) == 1
        guard !bits.hasEnded, columns < 1024, rows < 1024 else { return nil }
        return FrameSize(
            width: (Int(columns) + 1) * 16, height: (Int(rows) + 1) * (isFrame ? 16 : 32))
    }

    private static func skipColors(_ bits: inout BitReader) {
        let format = bits.unsigned()
        if format == 3 { bits.skip(1) }
        _ = bits.unsigned()
        _ = bits.unsigned()
        bits.skip(1)
        guard bits.read(1) == 1 else { return }
        for list in 0..<(format == 3 ? 12 : 8) where bits.read(1) == 1 {
            var (last, next) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 { next = (last + bits.signed()) & 0xff }
                if next != 0 { last = next }
            }
        }
    }
}

/// Finds parameter sets between the slices of a frame. GStreamer's senders repeat the sets before each slice
/// of a key frame, and then a depayloader ends the frame there and decoders refuse both parts.
package struct H264Repeats: Sendable {
    /// The time of the frame whose first slice has arrived.
    private var sliced: UInt32?

    package init() {}

    /// Adds the next packet.
    ///
    /// - Returns: The position of the header of a parameter set that must become filler; nil if the packet
    ///   stays as it is.
    package mutating func header(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let packet = VideoPacket(bytes, .h264), !packet.payload.isEmpty else { return nil }
        let start = packet.payload.lowerBound
        switch bytes[start] & 0x1f {
        case 7, 8: return sliced == packet.timestamp ? start : nil
        // A slice, or a part of one.
        case 1...5, 28, 29:
            sliced = packet.timestamp
            return nil
        default: return nil
        }
    }
}

/// Reads the bits of a header. Skips the bytes that prevent a false start code.
private struct BitReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private var bit = 0
    private var zeros = 0
    /// Whether a read went past the end.
    private(set) var hasEnded = false

    init(_ bytes: UnsafeBufferPointer<UInt8>, from index: Int) {
        (self.bytes, self.index) = (bytes, index)
    }

    private mutating func next() -> UInt32 {
        if bit == 0, zeros >= 2, index < bytes.count, bytes[index] == 3 {
            index += 1
            zeros = 0
        }
        guard index < bytes.count else {
            hasEnded = true
            return 0
        }
        let value = UInt32(bytes[index] >> UInt8(7 - bit) & 1)
        bit += 1
        if bit == 8 {
            zeros = bytes[index] == 0 ? zeros + 1 : 0
            bit = 0
            index += 1
        }
        return value
    }

    mutating func read(_ count: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 1 | next() }
        return value
    }

    mutating func skip(_ count: Int) { for _ in 0..<count { _ = next() } }

    /// Reads `ue(v)`; returns the maximum for codes longer than 32 bits.
    mutating func unsigned() -> UInt32 {
        var zeros = 0
        while next() == 0 {
            zeros += 1
            guard zeros < 32, !hasEnded else {
                hasEnded = true
                return .max
            }
        }
        return (1 << UInt32(zeros)) - 1 + read(zeros)
    }

    /// Reads `se(v)`.
    mutating func signed() -> Int {
        let code = Int(unsigned())
        return code % 2 == 0 ? -(code / 2) : code / 2 + 1
    }
}
