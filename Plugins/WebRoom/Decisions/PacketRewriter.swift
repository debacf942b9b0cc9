/// Rewrites packets of several streams as one stream to a viewer: one SSRC, and numbers and times that
/// continue when the viewer gets another stream.
///
/// - The numbers of lost packets stay free, so that the viewer's decoder notices the loss.
/// - VP8 frames always have a picture id of 15 bits.
package struct PacketRewriter: Sendable {
    /// The start of a rewritten packet. The payload follows from an offset in the original packet.
    package struct Head: Sendable {
        package fileprivate(set) var bytes = InlineArray<48, UInt8>(repeating: 0)
        package fileprivate(set) var count = 0
        /// The position in the original packet at which the copied bytes start.
        package fileprivate(set) var payload = 0

        fileprivate mutating func append(_ byte: UInt8) {
            guard count < bytes.count else { return }
            bytes[count] = byte
            count += 1
        }

        fileprivate mutating func append(_ value: UInt16) {
            append(UInt8(value >> 8))
            append(UInt8(truncatingIfNeeded: value))
        }

        fileprivate mutating func append(_ value: UInt32) {
            append(UInt16(value >> 16))
            append(UInt16(truncatingIfNeeded: value))
        }
    }

    /// The numbers of a packet. All of them wrap.
    private struct Numbers {
        var sequence: UInt16 = 0
        var timestamp: UInt32 = 0
        var picture: UInt16 = 0
        var base: UInt8 = 0
        var key: UInt8 = 0
    }

    /// A larger step of the sequence number begins another stream.
    private static let longestGap = 3000

    private let source: UInt32
    private let payloadType: UInt8
    private let clockRate: UInt64
    private let transportWide: Int?
    /// The header's extensions, whole words; empty if there are none.
    private var extensions: [UInt8]
    /// The differences between the viewer's numbers and the stream's.
    private var offsets = Numbers()
    /// The numbers of the last packet of the stream, and of the viewer's last packet.
    private var input = Numbers()
    private var output: (numbers: Numbers, pts: UInt64)?

    /// - Parameters:
    ///   - source: The SSRC of the rewritten packets.
    ///   - stream: The negotiated values of the viewer's medium.
    package init(source: UInt32, _ stream: MediaStream) {
        self.source = source
        payloadType = UInt8(clamping: stream.payload) & 0x7f
        clockRate = stream.video == nil ? 48_000 : 90_000
        transportWide = stream.transportWide
        extensions = Self.header(Self.congestionControl(stream.transportWide))
    }

    /// Names the medium and the layer in each packet from now on.
    package mutating func name(medium: String, layer: String) {
        extensions = Self.header(
            Self.congestionControl(transportWide) + [
                (id: Simulcast.Extension.medium.rawValue, value: Array(medium.utf8)),
                (id: Simulcast.Extension.layer.rawValue, value: Array(layer.utf8)),
            ])
    }

    /// Space for the number that the connection writes.
    private static func congestionControl(_ id: Int?) -> [(id: Int, value: [UInt8])] {
        id.map { [(id: $0, value: [0, 0])] } ?? []
    }

    /// A header's extensions of one byte each (RFC 8285).
    private static func header(_ elements: [(id: Int, value: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (id, value) in elements where (1...14).contains(id) && (1...16).contains(value.count) {
            bytes.append(UInt8(id) << 4 | UInt8(value.count - 1))
            bytes += value
        }
        guard !bytes.isEmpty else { return [] }
        while bytes.count % 4 != 0 { bytes.append(0) }
        return [0xbe, 0xde, 0, UInt8(bytes.count / 4)] + bytes
    }

    /// Begins another stream with this packet.
    ///
    /// - Parameter pts: The time of the packet in nanoseconds, on a clock that all streams share.
    package mutating func begin(_ packet: VideoPacket, at pts: UInt64) {
        let descriptor = packet.descriptor
        input = Numbers(
            sequence: packet.sequence &- 1, timestamp: packet.timestamp,
            picture: descriptor?.picture ?? 0, base: descriptor?.base ?? 0,
            key: descriptor?.layer ?? 0)
        guard let (last, lastPTS) = output else {
            // The viewer's numbers begin low, so that none wraps before the first packet arrives.
            offsets = Numbers(sequence: (packet.sequence & 0x7fff) &- packet.sequence)
            return
        }
        let passed = pts > lastPTS ? pts - lastPTS : 0
        let (seconds, rest) = passed.quotientAndRemainder(dividingBy: 1_000_000_000)
        let ticks = UInt32(
            truncatingIfNeeded: seconds &* clockRate + rest * clockRate / 1_000_000_000)
        offsets = Numbers(
            sequence: last.sequence &+ 1 &- packet.sequence,
            timestamp: last.timestamp &+ max(1, ticks) &- packet.timestamp,
            picture: last.picture &+ 1 &- input.picture, base: last.base &+ 1 &- input.base,
            key: last.key &+ 1 &- input.key)
    }

    /// Rewrites a packet of the stream that began.
    ///
    /// - Parameter pts: The time of the packet, as in ``begin(_:at:)``.
    /// - Returns: The start of the viewer's packet; nil if the packet is a duplicate or has no content.
    package mutating func rewrite(_ packet: VideoPacket, at pts: UInt64) -> Head? {
        let step = Int(Int16(bitPattern: packet.sequence &- input.sequence))
        guard step > 0 else { return nil }
        guard !packet.payload.isEmpty else {
            // Close the gap, because the viewer would request the packet again.
            input.sequence = packet.sequence
            offsets.sequence &-= 1
            return nil
        }
        let isNewFrame = packet.timestamp != input.timestamp
        input.sequence = packet.sequence
        input.timestamp = packet.timestamp
        var numbers = Numbers(
            sequence: packet.sequence &+ offsets.sequence,
            timestamp: packet.timestamp &+ offsets.timestamp)
        var head = Head()
        head.append(extensions.isEmpty ? 0x80 : 0x90 as UInt8)
        head.append(payloadType | (packet.isLast ? 0x80 : 0))
        head.append(numbers.sequence)
        head.append(numbers.timestamp)
        head.append(source)
        for byte in extensions { head.append(byte) }
        head.payload = packet.payload.lowerBound
        if let descriptor = packet.descriptor {
            if let picture = descriptor.picture {
                input.picture =
                    descriptor.isLong
                    ? picture : input.picture &+ ((picture &- input.picture) & 0x7f)
            } else if isNewFrame {
                // A stream without picture ids gets them by its frames.
                input.picture &+= 1
            }
            numbers.picture = (input.picture &+ offsets.picture) & 0x7fff
            numbers.base = (descriptor.base ?? 0) &+ offsets.base
            numbers.key = ((descriptor.layer ?? 0) &+ offsets.key) & 0x1f
            head.append(descriptor.first | 0x80)
            head.append(descriptor.flags | 0x80)
            head.append(numbers.picture | 0x8000)
            if descriptor.base != nil { head.append(numbers.base) }
            if let layer = descriptor.layer { head.append(layer & 0xe0 | numbers.key) }
            head.payload += descriptor.length
        }
        output = (numbers, pts)
        return head
    }

    /// Whether a packet continues the current stream; otherwise its sender has restarted.
    package func continues(_ packet: VideoPacket) -> Bool {
        abs(Int(Int16(bitPattern: packet.sequence &- input.sequence))) <= Self.longestGap
    }
}
