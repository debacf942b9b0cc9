import RoomDecisions
import TestSupport
import Testing

/// Reading SDP, of programs and of those who mean ill.
@Suite struct SessionDescriptionTests {
    private static let head = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0"]
    private static let video = [
        "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "a=mid:0", "a=recvonly", "a=ice-ufrag:abcd",
        "a=ice-pwd:abcdefghijklmnopqrstuvwx", "a=fingerprint:sha-256 AA:BB", "a=setup:actpass",
        "a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1", "a=rtpmap:97 VP8/90000",
    ]

    private func text(_ lines: [String]...) -> String {
        lines.flatMap(\.self).map { $0 + "\r\n" }.joined()
    }

    private func read(_ lines: [String]...) throws -> SDPDescription {
        try SDPDescription(text(Self.head + lines.flatMap(\.self)))
    }

    @Test func `an attribute of the session applies to media without it`() throws {
        let session = [
            "a=sendonly", "a=ice-ufrag:sess", "a=ice-pwd:abcdefghijklmnopqrstuvwx",
            "a=fingerprint:sha-256 CC", "a=setup:passive", "a=ice-lite",
        ]
        let bare = ["m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:1"]
        let read = try read(session, Self.video, bare)
        #expect(read.media.map(\.direction) == [.recvonly, .sendonly])
        #expect(read.media.map(\.transport.username) == ["abcd", "sess"])
        #expect(read.media.map(\.transport.setup) == [.actpass, .passive])
        #expect(read.media.map(\.transport.fingerprints.first?.value) == ["AA:BB", "CC"])
        #expect(read.isLite)
    }

    @Test func `a medium has its own strong fingerprints, or else those of the session`() throws {
        let session = ["a=fingerprint:SHA-512 ab:cd", "a=fingerprint:sha-384 01"]
        let weak = ["a=fingerprint:sha-1 EE", "a=fingerprint:md5 EE"]
        let audio = ["m=audio 9 UDP/TLS/RTP/SAVPF 0", "a=mid:1"] + weak
        let read = try read(session, Self.video + ["a=fingerprint:sha-256 CC"] + weak, audio)
        let kept = read.media.map { $0.transport.fingerprints.map { "\($0.hash) \($0.value)" } }
        #expect(kept == [["sha-256 AA:BB", "sha-256 CC"], ["sha-512 AB:CD", "sha-384 01"]])
        #expect(read.fingerprints.count == 4)
    }

    @Test func `a description with weak fingerprints can't connect`() throws {
        let video = Self.video.filter { !$0.contains("fingerprint") } + ["a=fingerprint:sha-1 EE"]
        #expect(try !read(video).media[0].transport.isComplete)
    }

    @Test func `codecs, parameters, feedback and extensions are read`() throws {
        let known = SDPDescription.transportWideURI
        let more = [
            "a=rtcp-fb:* nack", "a=rtcp-fb:97 nack pli ", "a=rtcp-fb:97 goog-remb",
            "a=extmap:15 \(known)", "a=extmap:14 \(known)", "a=extmap:3 \(known)x",
            "a=extmap:4/sendonly \(known)", "a=rtpmap:999 VP9/90000", "a=rtpmap:-1 AV1/90000",
            "a=rtpmap:96 AV1/90000", "a=fmtp:97", "a=rtpmap:97 X/99999999999999999999",
        ]
        let medium = try read(Self.video, more).media[0]
        #expect(medium.payloads.map(\.codec) == ["H264", "VP8"])
        #expect(medium.payloads.map { $0["packetization-mode"] } == ["1", nil])
        #expect(medium.payloads.map(\.feedback) == [[.nack], [.nack, .pli]])
        #expect(medium.transportWide == 14)
    }

    @Test func `invalid candidates and candidates with names or TCP are left out`() throws {
        let candidates = [
            "a=candidate:1 1 udp 1 192.0.2.1 5000 typ host",
            "a=candidate:2 1 UDP 1 2001:db8::1 5000 typ srflx raddr 0.0.0.0 rport 0 generation 0",
            "a=candidate:3 1 udp 1 5b6c.local 5000 typ host",
            "a=candidate:4 1 tcp 1 192.0.2.1 9 typ host tcptype active",
            "a=candidate:5 1 udp", "a=candidate:6 1 udp 1 dead 5000 typ host",
            "a=candidate:7 1 udp 1 1.2.3.4.5 5000 typ host",
            "a=candidate:8 1 udp 192.0.2.1  example.org 5000 typ host",
            "a=candidate:9 2 udp 1 192.0.2.1 5001 typ host",
            "a=candidate:10 1 udp 1 192.0.2.1 0 typ host",
            "a=candidate:11 1 udp 1 192.0.2.1 70000 typ host",
            "a=candidate:12\" 1 udp 1 192.0.2.1 5000 typ host",
            "a=candidate:13 1 udp 99999999999 192.0.2.1 5000 typ host",
            "a=candidate:14 1 udp 1 192.0.2.1 5000 typ other",
        ]
        #expect(
            try read(Self.video, candidates).media[0].transport.candidates.map(\.text) == [
                "candidate:1 1 UDP 1 192.0.2.1 5000 typ host",
                "candidate:2 1 UDP 1 2001:db8::1 5000 typ srflx raddr 0.0.0.0 rport 0",
            ])
    }

    @Test func `invalid session descriptions are refused`() {
        let candidate = "a=candidate:1 1 udp 1 192.0.2.1 5000 typ host"
        let wrong = [
            "", "hello", "v=1\r\n", text(Self.head), text(Self.head, ["m="], Self.video),
            text(Self.head, Self.video, ["a=\0"]), text(Self.head, Self.video, ["a=x\u{301}"]),
            text(Self.head, Self.video, [" m=video 9 UDP/TLS/RTP/SAVPF 96"]),
            text(Self.head, Self.video, ["m=\u{301}video 9 UDP/TLS/RTP/SAVPF 96"]),
            text(Self.head, Self.video, ["m=video x UDP/TLS/RTP/SAVPF 96"]),
            text(Self.head, Self.video, ["m=video 9 UDP/TLS/RTP/SAVPF 9\"6"]),
            text(Self.head, Self.video, ["m=video 9 UDP/TLS/RTP/SAVPF"]),
            text(Self.head, Self.video, ["A=x"]), text(Self.head, Self.video, ["a"]),
            text(Self.head, Self.video, Self.video), text(Self.head, Self.video, ["a=mid:a b"]),
            text(Self.head, Self.video, ["a=setup:holdconn"]),
            text(Self.head, Self.video, ["a=ice-ufrag:abc"]),
            text(Self.head, Self.video, ["a=ice-ufrag:ab cd"]),
            text(Self.head, Self.video, ["a=ice-pwd:short"]),
            text(Self.head, Self.video, ["a=fingerprint:sha-256 AA:B"]),
            text(Self.head, Self.video, ["a=fingerprint:sha-256 "]),
            text(Self.head, Self.video, ["a=" + String(repeating: "a", count: 5000)]),
            text(Self.head, Self.video, Array(repeating: "a=x", count: 3000)),
            text(Self.head, Array(repeating: Self.video[0], count: 17)),
            text(Self.head, Self.video, Array(repeating: candidate, count: 65)),
        ]
        for text in wrong {
            let error = #expect(throws: RequestError.self, "\(text.prefix(200))") {
                try SDPDescription(text)
            }
            #expect(error?.code.rawValue == 400)
        }
        let long = #expect(throws: RequestError.self) {
            try SDPDescription(String(repeating: "v=0\r\n", count: 20_000))
        }
        #expect(long?.code.rawValue == 413)
    }

    @Test func `lines that the room does not use may contain any text`() throws {
        for line in ["s= ", "s=", "s= Ünser Raum", "i= x", "e=\u{301}", "k=clear:x"] {
            #expect(throws: Never.self, "\(line)") { try read([line], Self.video) }
        }
    }

    @Test func `no mutation of a description crashes the room`() throws {
        var random = SeededGenerator(seed: 6)
        var read = 0
        for name in ["chromium-send", "firefox-send", "obs-30", "livekit"] {
            let whole = Array(try OfferFixture.text(name).utf8)
            for _ in 0..<1000 {
                let text = String(decoding: random.mutation(of: whole), as: UTF8.self)
                guard let offer = try? SDPDescription(text) else { continue }
                read += 1
                // The parser reads each text that the writer writes.
                #expect(try SDPDescription(offer.text).media.count == offer.media.count)
                for terms in [MediaTerms.guest, .viewer(videos: 2)] {
                    guard let answer = try? SDPAnswer(to: offer, on: terms) else { continue }
                    #expect(try SDPDescription(answer.offerForRoom.text) == answer.offerForRoom)
                }
            }
        }
        #expect(read > 300)
    }
}
