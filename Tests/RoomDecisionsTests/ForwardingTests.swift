import RoomDecisions
import Testing

/// Tests how packets of guests become packets of a viewer.
@Suite struct ForwardingTests {
    /// A packet in hexadecimal digits: the numbers of the header, and the rest.
    private func packet(
        _ sequence: UInt16, _ timestamp: UInt32, _ rest: String, first: String = "80",
        isLast: Bool = false,
        _ codec: RoomCodec? = .vp8
    ) -> VideoPacket? {
        func digits(_ value: UInt32, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: count - text.count) + text
        }
        let bytes = Self.bytes(
            first + (isLast ? "e0" : "60") + digits(UInt32(sequence), 4) + digits(timestamp, 8)
                + "11223344" + rest)
        return bytes.withUnsafeBufferPointer { VideoPacket($0, codec) }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = text.filter { $0 != " " }.map(String.init)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits[$0] + digits[$0 + 1], radix: 16)
        }
    }

    private static func text(_ head: PacketRewriter.Head?) -> String? {
        head.map { head in
            (0..<head.count).map {
                let digits = String(head.bytes[$0], radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
    }

    /// The payload's position, and whether a key frame starts.
    private struct Facts: Equatable {
        var payload: Range<Int>
        var startsKeyFrame: Bool
    }

    @Test(
        arguments: [
            // No descriptor extension; a key frame, another frame, and a later part of a key frame.
            ("80", "10 00aa", .vp8, 12..<15, true), ("80", "10 01aa", .vp8, 12..<15, false),
            ("80", "00 00aa", .vp8, 12..<15, false),
            // A second partition, and a frame that is not a reference.
            ("80", "11 00aa", .vp8, 12..<15, false), ("80", "30 00aa", .vp8, 12..<15, true),
            // Picture ids of 7 and 15 bits, and all fields.
            ("80", "9080 05 00", .vp8, 12..<16, true), ("80", "9080 8005 00", .vp8, 12..<17, true),
            ("80", "90f0 8005 07 21 00", .vp8, 12..<19, true),
            // A source list, a header extension, and padding.
            ("82", "0000000100000002 1000", .vp8, 20..<22, true),
            ("90", "bede0001 10aabb00 1000", .vp8, 20..<22, true),
            ("a0", "1000 000003", .vp8, 12..<14, true),
            // Only padding: a probe.
            ("a0", "0000 0004", .vp8, 12..<12, false),
            // H.264: a parameter set, an aggregate with one, a slice, and another profile.
            ("80", "6742c01f", .h264, 12..<16, true),
            ("80", "78 0002 0910 0003 674200", .h264, 12..<22, true),
            ("80", "65aabb", .h264, 12..<15, false), ("80", "6764001f", .h264, 12..<16, false),
            ("80", "aabb", nil, 12..<14, true),
        ] as [(String, String, RoomCodec?, Range<Int>, Bool)])
    func `a packet has a payload, and may start a key frame`(
        first: String, rest: String, codec: RoomCodec?, payload: Range<Int>, isKey: Bool
    ) {
        let read = packet(7, 9, rest, first: first, codec)
        #expect(read?.payload == payload && read?.startsKeyFrame == isKey)
        #expect(read?.sequence == 7 && read?.timestamp == 9)
    }

    @Test(arguments: [
        ("40", "1000"), ("8f", "1000"), ("90", "bede"), ("90", "bede0009 1000"), ("a0", "1000ff"),
        ("80", "90"), ("80", "9080"), ("80", "908080"), ("80", "9040"), ("80", "9020"),
        ("80", "10"),
        ("80", "90f0 8005 07 21"),
    ])
    func `a packet with an invalid header is ignored`(first: String, rest: String) {
        #expect(packet(7, 9, rest, first: first) == nil)
    }

    @Test func `a packet that is too short is ignored, whatever its bytes are`() {
        for count in 0..<16 {
            for value: UInt8 in [0, 0x80, 0x90, 0xa0, 0xff] {
                let bytes = [UInt8](repeating: value, count: count)
                let read = bytes.withUnsafeBufferPointer { VideoPacket($0, .vp8) }
                #expect(read == nil || count >= 12, "\(count) bytes of \(value)")
            }
        }
    }

    private static let viewer = MediaStream(video: .vp8, payload: 100)
    private static let second: UInt64 = 1_000_000_000

    @Test func `packet numbers and times continue when a viewer gets another stream`() throws {
        var rewriter = PacketRewriter(source: 0xaabb_ccdd, Self.viewer)
        let first = try #require(packet(0xfffe, 1000, "9080 8009 00"))
        rewriter.begin(first, at: 0)
        #expect(Self.text(rewriter.rewrite(first, at: 0)) == "80647ffe000003e8aabbccdd90808009")
        let second = try #require(packet(0xffff, 1000, "8080 8009 00", isLast: true))
        #expect(Self.text(rewriter.rewrite(second, at: 0)) == "80e47fff000003e8aabbccdd80808009")
        // Over the wrap, and the next frame.
        let third = try #require(packet(0, 4000, "9080 800a 01", isLast: true))
        #expect(
            Self.text(rewriter.rewrite(third, at: 33_000_000)) == "80e4800000000fa0aabbccdd9080800a"
        )
        // Another stream with ids of 7 bits, 1 s later: 90,000 ticks.
        let other = try #require(packet(500, 0xffff_ff00, "9080 7f 00", isLast: true))
        rewriter.begin(other, at: 33_000_000 + Self.second)
        #expect(
            Self.text(rewriter.rewrite(other, at: 33_000_000 + Self.second))
                == "80e4800100016f30aabbccdd9080800b")
        // The ids of 7 bits wrap.
        let next = try #require(packet(501, 3000, "9080 00 01", isLast: true))
        #expect(Self.text(rewriter.rewrite(next, at: Self.second * 2))?.suffix(8) == "9080800c")
        // A stream without ids gets them by its frames.
        let plain = try #require(packet(9, 5, "10 00"))
        rewriter.begin(plain, at: Self.second * 3)
        #expect(Self.text(rewriter.rewrite(plain, at: Self.second * 3))?.suffix(8) == "9080800d")
        let more = try #require(packet(10, 5, "00 00"))
        #expect(Self.text(rewriter.rewrite(more, at: Self.second * 3))?.suffix(8) == "8080800d")
        let frame = try #require(packet(11, 6, "10 01"))
        #expect(Self.text(rewriter.rewrite(frame, at: Self.second * 3))?.suffix(8) == "9080800e")
    }

    @Test func `numbers of temporal layers continue when a viewer gets another stream`() throws {
        var rewriter = PacketRewriter(source: 1, Self.viewer)
        for (sequence, rest, expected) in [
            (1, "90f0 8001 05 21 00", "90f080010521"), (2, "90f0 8002 05 61 01", "90f080020561"),
            (3, "90f0 8003 06 21 01", "90f080030621"),
        ] as [(UInt16, String, String)] {
            let read = try #require(packet(sequence, UInt32(sequence), rest))
            if sequence == 1 { rewriter.begin(read, at: 0) }
            #expect(Self.text(rewriter.rewrite(read, at: 0))?.suffix(12) == expected[...])
        }
        let other = try #require(packet(70, 9, "90f0 8100 ff 3f 00"))
        rewriter.begin(other, at: 0)
        #expect(Self.text(rewriter.rewrite(other, at: 0))?.suffix(12) == "90f080040722")
    }

    @Test
    func `a lost packet leaves a gap in the numbers, and a probe or duplicate does not`() throws {
        var rewriter = PacketRewriter(source: 1, Self.viewer)
        let first = try #require(packet(10, 1, "10 00"))
        rewriter.begin(first, at: 0)
        var sequences: [String?] = []
        for (sequence, rest, head) in [
            (10, "10 00", "80"), (11, "10 01", "80"), (11, "10 01", "80"), (13, "10 01", "80"),
            (14, "0000 0004", "a0"), (15, "10 01", "80"), (12, "10 01", "80"),
        ] as [(UInt16, String, String)] {
            let read = try #require(packet(sequence, UInt32(sequence), rest, first: head))
            #expect(rewriter.continues(read))
            let text = Self.text(rewriter.rewrite(read, at: 0))
            sequences.append(text.map { String($0.dropFirst(4).prefix(4)) })
        }
        #expect(sequences == ["000a", "000b", nil, "000d", nil, "000e", nil])
        let far = try #require(packet(20_000, 1, "10 01"))
        #expect(!rewriter.continues(far))
    }

    @Test func `a packet gets a header extension for transport-wide feedback`() throws {
        var rewriter = PacketRewriter(
            source: 1, MediaStream(video: .h264, payload: 102, transportWide: 3))
        let read = try #require(packet(1, 2, "65aa", isLast: true, .h264))
        rewriter.begin(read, at: 0)
        let head = rewriter.rewrite(read, at: 0)
        #expect(Self.text(head) == "90e600010000000200000001bede000131000000")
        #expect(head?.payload == 12)
    }

    @Test func `a packet of a layer names its medium and its layer`() throws {
        for (transportWide, expected) in [
            (3, "bede0003" + "310000" + "45766964656f30" + "5068"),
            (nil, "bede0003" + "45766964656f30" + "5068" + "000000"),
        ] as [(Int?, String)] {
            var rewriter = PacketRewriter(
                source: 1, MediaStream(video: .vp8, payload: 96, transportWide: transportWide))
            rewriter.name(medium: "video0", layer: "h")
            let read = try #require(packet(1, 2, "90f0 8005 07 21 00", isLast: true))
            rewriter.begin(read, at: 0)
            let head = rewriter.rewrite(read, at: 0)
            // The longest descriptor of VP8 fits behind it.
            #expect(Self.text(head) == "90e000010000000200000001" + expected + "90f080050721")
        }
    }

    @Test func `times of audio continue at 48 kHz when a viewer gets another stream`() throws {
        var rewriter = PacketRewriter(source: 1, MediaStream(video: nil, payload: 111))
        let read = try #require(packet(1, 960, "aa", nil))
        rewriter.begin(read, at: 0)
        #expect(Self.text(rewriter.rewrite(read, at: 0)) == "806f0001000003c000000001")
        let other = try #require(packet(90, 0, "aa", nil))
        rewriter.begin(other, at: 20_000_000)
        #expect(Self.text(rewriter.rewrite(other, at: 20_000_000)) == "806f00020000078000000001")
    }

    @Test func `a guest is asked for a key frame once a second at most`() {
        var requests = KeyFrameRequests()
        let asked = [0, 0, 500, 999, 1000, 1001, 2500].map {
            requests.isDue(at: UInt64($0) * 1_000_000)
        }
        #expect(asked == [true, false, false, false, true, false, true])
    }
}
