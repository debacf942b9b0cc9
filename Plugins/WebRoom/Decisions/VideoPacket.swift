/// A packet of video (RTP, RFC 3550), with the parts that the room reads and rewrites.
package struct VideoPacket: Equatable, Sendable {
    /// Whether it is the last packet of a frame.
    package let isLast: Bool
    package let sequence: UInt16
    /// The time of the frame, in units of the codec's clock.
    package let timestamp: UInt32
    /// The position of the payload without padding; empty in packets that only probe the network.
    package let payload: Range<Int>
    /// The descriptor in front of VP8 data; nil for another codec.
    package let descriptor: VP8Descriptor?
    /// Whether a frame that needs no earlier frame starts here.
    package let startsKeyFrame: Bool

    /// The position of the codec's data.
    package var content: Range<Int> {
        payload.dropFirst(descriptor?.length ?? 0).startIndex..<payload.upperBound
    }

    /// Reads a packet.
    ///
    /// - Parameter codec: The codec of the payload; nil for audio.
    /// - Returns: The packet; nil if a header is invalid.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>, _ codec: RoomCodec?) {
        guard bytes.count >= 12, bytes[0] >> 6 == 2 else { return nil }
        var start = 12 + 4 * Int(bytes[0] & 0x0f)
        if bytes[0] & 0x10 != 0 {
            guard start + 4 <= bytes.count else { return nil }
            start += 4 + 4 * (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3]))
        }
        var end = bytes.count
        if bytes[0] & 0x20 != 0 { end -= Int(bytes[end - 1]) }
        guard start <= end else { return nil }
        payload = start..<end
        isLast = bytes[1] & 0x80 != 0
        sequence = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        timestamp = bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        let content = UnsafeBufferPointer(rebasing: bytes[payload])
        guard !content.isEmpty else {
            (descriptor, startsKeyFrame) = (nil, false)
            return
        }
        switch codec {
        case .vp8:
            guard let read = VP8Descriptor(content) else { return nil }
            descriptor = read
            startsKeyFrame = read.startsFrame && content[read.length] & 1 == 0
        case .h264:
            descriptor = nil
            startsKeyFrame = Self.hasParameterSet(content)
        case nil:
            descriptor = nil
            startsKeyFrame = true
        }
    }

    /// The value of a header extension of one byte (RFC 8285) as text; nil if absent.
    ///
    /// - Parameter bytes: The packet.
    package static func text(ofExtension id: Int, in bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard bytes.count >= 12, bytes[0] & 0x10 != 0 else { return nil }
        var index = 12 + 4 * Int(bytes[0] & 0x0f)
        guard index + 4 <= bytes.count, bytes[index] == 0xbe, bytes[index + 1] == 0xde else {
            return nil
        }
        let words = Int(bytes[index + 2]) << 8 | Int(bytes[index + 3])
        index += 4
        let end = index + 4 * words
        guard end <= bytes.count else { return nil }
        while index < end {
            let (found, count) = (Int(bytes[index] >> 4), Int(bytes[index] & 0x0f) + 1)
            index += 1
            // A byte of padding; the number 15 ends the extensions.
            if found == 0 { continue }
            guard found != 15, index + count <= end else { return nil }
            if found == id { return String(decoding: bytes[index..<index + count], as: UTF8.self) }
            index += count
        }
        return nil
    }

    /// Whether a payload of H.264 (RFC 6184) has a sequence parameter set of a baseline profile, which all
    /// viewers decode. Senders put the set in front of each key frame.
    private static func hasParameterSet(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
        func isBaselineSet(at index: Int) -> Bool {
            index + 1 < content.count && content[index] & 0x1f == 7 && content[index + 1] == 66
        }
        guard content[0] & 0x1f == 24 else { return isBaselineSet(at: 0) }
        // An aggregate of units, each after its length.
        var index = 1
        while index + 2 < content.count {
            if isBaselineSet(at: index + 2) { return true }
            index += 2 + (Int(content[index]) << 8 | Int(content[index + 1]))
        }
        return false
    }
}

/// The payload descriptor of VP8 (RFC 7741, 4.2).
package struct VP8Descriptor: Equatable, Sendable {
    /// The number of bytes.
    package let length: Int
    /// The first byte: whether the frame is a reference, and the partition.
    let first: UInt8
    /// The number of the frame, of 7 or 15 bits; nil if absent.
    let picture: UInt16?
    /// Whether the number of the frame has 15 bits.
    let isLong: Bool
    /// The number of the last frame of the lowest temporal layer; nil if absent.
    let base: UInt8?
    /// The temporal layer and the key index, with the flags for them; nil if absent.
    let layer: UInt8?
    let flags: UInt8

    /// Whether a frame starts here.
    var startsFrame: Bool { first & 0x17 == 0x10 }

    /// - Returns: The descriptor; nil if no byte of the frame follows it.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        func next() -> UInt8? {
            guard index < bytes.count else { return nil }
            defer { index += 1 }
            return bytes[index]
        }
        guard let first = next() else { return nil }
        self.first = first
        var flags: UInt8 = 0
        if first & 0x80 != 0 {
            guard let read = next() else { return nil }
            flags = read
        }
        self.flags = flags
        var picture: UInt16?
        var isLong = false
        if flags & 0x80 != 0 {
            guard let high = next() else { return nil }
            picture = UInt16(high & 0x7f)
            if high & 0x80 != 0 {
                guard let low = next() else { return nil }
                picture = UInt16(high & 0x7f) << 8 | UInt16(low)
                isLong = true
            }
        }
        (self.picture, self.isLong) = (picture, isLong)
        if flags & 0x40 != 0 {
            guard let read = next() else { return nil }
            base = read
        } else {
            base = nil
        }
        if flags & 0x30 != 0 {
            guard let read = next() else { return nil }
            layer = read
        } else {
            layer = nil
        }
        length = index
        guard index < bytes.count else { return nil }
    }
}
