import GreenroomMedia
import GreenroomRoom
import TestSupport
import Testing

/// Offers, of browsers and of those who mean ill.
@Suite struct SessionOfferTests {
    private static let head = [
        "v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0 1",
    ]
    private static let video = [
        "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98", "c=IN IP4 0.0.0.0", "a=mid:0", "a=recvonly",
        "a=ice-ufrag:abcd", "a=ice-pwd:abcdefghijklmnopqrstuvwx",
        "a=fingerprint:sha-256 AA:BB", "a=setup:actpass", "a=rtcp-mux",
        "a=extmap:4 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01",
        "a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1", "a=rtpmap:97 VP8/90000",
        "a=rtpmap:98 VP8/90000",
    ]
    private static let audio = [
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=sendonly", "a=rtpmap:111 opus/48000/2",
    ]

    private func text(_ lines: [String]...) -> String {
        lines.flatMap(\.self).map { $0 + "\r\n" }.joined()
    }

    @Test func `codecs, extensions and directions are read`() throws {
        let offer = try SessionOffer(text(Self.head, Self.video, Self.audio))
        let video = try #require(offer.video)
        #expect(video.payloads == ["H264": 96, "VP8": 97])
        #expect(video.transportWide == 4)
        #expect(video.receives && !video.sends)
        let audio = try #require(offer.audio)
        #expect(audio.payloads == ["OPUS": 111])
        #expect(audio.sends && !audio.receives)
    }

    @Test func `an extension of another name is none of the room's, whatever is in it`() throws {
        let known = SessionOffer.Media.transportWideURI
        let wrong = [
            known + "\"", known + "\",payload=1", known + " x", known + ",a=b", "\"" + known,
            "transport-wide-cc", known.uppercased(),
        ]
        for uri in wrong {
            let video = Self.video.map { $0.hasPrefix("a=extmap:") ? "a=extmap:4 \(uri)" : $0 }
            #expect(try SessionOffer(text(Self.head, video)).video?.transportWide == nil, "\(uri)")
        }
        let second = ["a=extmap:14 \(known)", "a=extmap:15 \(known)", "a=extmap:3 \(known)x"]
        let without = Self.video.filter { !$0.hasPrefix("a=extmap:") }
        #expect(try SessionOffer(text(Self.head, without, second)).video?.transportWide == 14)
    }

    @Test func `candidates that are names or of TCP are left out`() throws {
        let candidates = [
            "a=candidate:1 1 udp 1 192.0.2.1 5000 typ host",
            "a=candidate:2 1 UDP 1 2001:db8::1 5000 typ host",
            "a=candidate:3 1 udp 1 5b6c.local 5000 typ host",
            "a=candidate:4 1 tcp 1 192.0.2.1 9 typ host tcptype active",
            "a=candidate:5 1 udp", "a=candidate:6 1 udp 1 dead 5000 typ host",
            "a=candidate:7 1 udp 1 1.2.3.4.5 5000 typ host",
            "a=candidate:8 1 udp 192.0.2.1  example.org 5000 typ host",
        ]
        let offer = try SessionOffer(text(Self.head, Self.video, candidates))
        let kept = offer.text.split(whereSeparator: \.isNewline).filter {
            $0.hasPrefix("a=candidate:")
        }
        #expect(kept.map { $0.prefix(13) } == ["a=candidate:1", "a=candidate:2"])
    }

    @Test func `offers that are none are refused`() {
        let wrong = [
            "", "hello", "v=1\r\n", text(Self.head),
            text(Self.head, Self.video).replacing("a=fingerprint", with: "a=finger"),
            text(Self.head, Self.video).replacing("a=ice-ufrag", with: "a=ufrag"),
            text(Self.head, Self.video).replacing("video 9", with: "video 0"),
            text(Self.head, ["m="], Self.video), text(Self.head, Self.video, ["a=\0"]),
            text(Self.head, Self.video, [String(repeating: "a", count: 5000)]),
            text(Self.head, Self.video, Array(repeating: "a=x", count: 3000)),
            text(
                Self.head, Self.video,
                Array(repeating: "a=candidate:1 1 udp 1 192.0.2.1 5000 typ host", count: 65)),
        ]
        for offer in wrong {
            #expect(throws: SignallingError.self, "\(offer.prefix(80))") {
                try SessionOffer(offer)
            }
        }
    }

    @Test(arguments: [
        " m=video 9 UDP/TLS/RTP/SAVPF 96", "\tm=video 9 UDP/TLS/RTP/SAVPF 96",
        "m=\u{301}video 9 UDP/TLS/RTP/SAVPF 96", "m\u{301}=video 9 UDP/TLS/RTP/SAVPF 96",
        "a=\u{301}candidate:1 1 udp 1 192.0.2.1 5000 typ host", "a= candidate:1", "a=x\u{301}",
        "a=x\ty", "a=", "a", "=", "A=x", "1=x", "i= x",
    ])
    func `a line that another parser would read otherwise is refused`(line: String) {
        let error = #expect(throws: SignallingError.self) {
            try SessionOffer(text(Self.head, Self.video, [line]))
        }
        #expect(error?.status == 400)
    }

    @Test func `the session's name may be any`() throws {
        for name in ["s= ", "s=", "s= Ünser Raum"] {
            let head = Self.head.map { $0 == "s=-" ? name : $0 }
            #expect(try SessionOffer(text(head, Self.video)).video != nil, "\(name)")
        }
    }

    /// A video with a name of its own.
    private static func video(named name: String) -> [String] {
        video.map { $0 == "a=mid:0" ? "a=mid:\(name)" : $0 }
    }

    @Test func `an offer has at most twelve videos, and sixteen media`() throws {
        let videos = (0..<12).flatMap { Self.video(named: "v\($0)") }
        let offer = try SessionOffer(text(Self.head, videos, Self.audio))
        #expect(offer.videos.count == 12 && offer.audioPlace == 12)
        let refused = (0..<4).flatMap { ["m=video 0 UDP/TLS/RTP/SAVPF 96", "a=mid:r\($0)"] }
        #expect(try SessionOffer(text(Self.head, videos, refused)).videos.count == 12)
        for more in [
            Self.video(named: "x"), refused + ["m=audio 0 UDP/TLS/RTP/SAVPF 1", "a=mid:y"],
        ] {
            #expect(throws: SignallingError.self) {
                try SessionOffer(text(Self.head, videos, more))
            }
        }
    }

    @Test func `each medium has a name of its own`() throws {
        for name in ["a=mid:1", "a=mix:0", "a=mid"] {
            let audio = Self.audio.map { $0 == "a=mid:1" ? name : $0 }
            let video = Self.video(named: "1")
            let error = #expect(throws: SignallingError.self) {
                try SessionOffer(text(Self.head, video, audio))
            }
            #expect(error?.status == 400)
        }
        let refused = ["m=video 0 UDP/TLS/RTP/SAVPF 96"]
        #expect(throws: SignallingError.self) {
            try SessionOffer(text(Self.head, Self.video, refused))
        }
    }

    @Test func `the codec is the first of those that the room has, in a form that it sends`() throws
    {
        let baseline =
            "a=fmtp:96 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f"
        let high = "a=fmtp:96 packetization-mode=1;profile-level-id=640032"
        let cases: [(formats: String, parameters: String, codec: VideoCodec?, payload: Int?)] = [
            ("96 97 98", baseline, .h264, 96), ("97 96 98", baseline, .vp8, 97),
            ("96 97 98", high, .h264, 96), ("96", "a=fmtp:96 packetization-mode=0", nil, nil),
            ("96 98", "a=fmtp:96 profile-level-id=42e01f", .vp8, 98),
            ("99 100", baseline, nil, nil),
        ]
        for (formats, parameters, codec, payload) in cases {
            let video = Self.video.map { line in
                line.hasPrefix("m=")
                    ? "m=video 9 UDP/TLS/RTP/SAVPF \(formats)"
                    : line.hasPrefix("a=fmtp:") ? parameters : line
            }
            let medium = try #require(try SessionOffer(text(Self.head, video)).video)
            #expect(medium.codec == codec, "\(formats) \(parameters)")
            #expect(codec.flatMap { medium.payload(of: $0) } == payload)
        }
    }

    @Test func `a medium without a port is refused, unless it shares one`() throws {
        let refused = [Self.audio[0].replacing("audio 9", with: "audio 0")] + Self.audio.dropFirst()
        #expect(try SessionOffer(text(Self.head, Self.video, refused)).audio == nil)
        let shared = refused + ["a=bundle-only"]
        #expect(try SessionOffer(text(Self.head, Self.video, shared)).audio != nil)
    }

    @Test func `two audios or a data channel can't be met`() {
        let data = ["m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=mid:5"]
        let second = Self.audio.map { $0 == "a=mid:1" ? "a=mid:2" : $0 }
        for more in [Self.audio + second, data] {
            let error = #expect(throws: SignallingError.self) {
                try SessionOffer(text(Self.head, Self.video, more))
            }
            #expect(error?.status == 406)
        }
    }

    @Test func `a long offer is too large`() {
        let error = #expect(throws: SignallingError.self) {
            try SessionOffer(String(repeating: "v=0\r\n", count: 20_000))
        }
        #expect(error?.status == 413)
    }

    @Test func `numbers out of range and half lines are passed over`() throws {
        let odd = [
            "a=rtpmap:999 VP9/90000", "a=rtpmap:-1 AV1/90000", "a=rtpmap:x", "a=extmap:0 urn:a",
            "a=extmap:99 urn:b", "a=fmtp:96", "a=rtpmap:99999999999999999999 X/1",
        ]
        let offer = try SessionOffer(text(Self.head, Self.video, odd))
        #expect(offer.video?.payloads == ["H264": 96, "VP8": 97])
        #expect(offer.video?.extensions.count == 1)
    }

    @Test func `no change of an offer brings the room down`() throws {
        var random = SeededGenerator(seed: 6)
        let whole = Array(text(Self.head, Self.video, Self.audio).utf8)
        var read = 0
        for _ in 0..<5000 {
            let offer = String(decoding: random.mutation(of: whole), as: UTF8.self)
            if (try? SessionOffer(offer)) != nil { read += 1 }
        }
        #expect(read > 500 && read < 4500)
    }

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

    @Test func `half a header of H.264 is broken, and no header does harm`() {
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
}
