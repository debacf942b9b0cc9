import RoomDecisions
import Testing

/// The room's answers to the offers of programs, and to changes of them.
@Suite struct AnswerTests {
    /// A medium in few words: its kind, its payload types and what is agreed on of the first.
    private static func summary(_ medium: SDPDescription.Media) -> String {
        guard medium.hasPort else { return "\(medium.kind) 0" }
        let payload = medium.payloads[0]
        let values = ["profile-level-id", "packetization-mode"].compactMap { payload[$0] }
        let types = medium.formats.joined(separator: "+")
        let feedback = medium.transportWide.map { "twcc \($0)" }
        let transport = medium.transport.candidates.isEmpty ? nil : "*"
        return
            ([medium.kind, payload.codec, types] + values
            + [feedback, transport].compactMap(\.self)).joined(separator: " ")
    }

    private static let clients: [(name: String, sends: Bool, answer: [String])] = [
        ("chromium-receive", true, ["audio OPUS 111 *", "video VP8 96+97 twcc 3"]),
        ("chromium-send", false, ["audio OPUS 111 *", "video VP8 96+97 twcc 3"]),
        ("chromium-layers", false, ["audio OPUS 111 *", "video VP8 96+97 twcc 3"]),
        ("firefox-receive", true, ["audio OPUS 109 *", "video VP8 120+124 twcc 7"]),
        ("firefox-send", false, ["audio OPUS 109 *", "video VP8 120+124 twcc 7"]),
        ("safari-receive", true, ["video H264 98+99 42e01f 1 twcc 4 *", "audio OPUS 111"]),
        ("safari-send", false, ["video VP8 100+101 twcc 4 *", "audio OPUS 111"]),
        ("obs-30", false, ["audio OPUS 111 *", "video H264 96 42e01f 1"]),
        ("obs-31", false, ["audio OPUS 111 *", "video H264 96 640c1f 1"]),
        ("obs-32", false, ["audio OPUS 111 *", "video H264 96 42e01f 1"]),
        ("libdatachannel", false, ["audio OPUS 111 *", "video H264 96 42e01f 1"]),
        ("pion-send", false, ["video VP8 96+97 twcc 1 *", "audio OPUS 111"]),
        ("pion-receive", true, ["video VP8 96+97 twcc 1 *", "audio OPUS 111"]),
        ("aiortc-1.4-send", false, ["audio OPUS 96 *", "video VP8 97+98"]),
        ("aiortc-1.4-receive", true, ["audio OPUS 96 *", "video VP8 97+98"]),
        ("aiortc-send", false, ["audio OPUS 96 *", "video VP8 97+98"]),
        ("gstreamer-whipsink", false, ["video H264 96 42c01f 1 *", "audio OPUS 97"]),
        ("gstreamer-unbundled", false, ["video VP8 96 *", "audio OPUS 97"]),
        ("simple-whip-client", false, ["video VP8 96 *", "audio OPUS 97"]),
        ("simple-whep-client", true, ["video H264 96 *", "audio OPUS 97"]),
        ("livekit", false, ["application 0", "audio OPUS 111 *", "video VP8 96+97 twcc 3"]),
        ("ffmpeg-whip", false, ["audio OPUS 111 *", "video H264 106 42c01e 1"]),
    ]

    @Test(arguments: clients)
    func `the offer of each tested program gets a complete answer`(
        client: (name: String, sends: Bool, answer: [String])
    ) throws {
        let offer = try OfferFixture.description(client.name)
        let terms = client.sends ? MediaTerms.viewer(videos: 1) : .guest
        let answer = try SDPAnswer(to: offer, on: terms)

        let given = answer.offerForRoom
        #expect(given.media.map(\.name) == (0..<answer.streams.count).map(String.init))
        #expect(
            given.media.allSatisfy {
                $0.transport.isComplete && $0.transport.setup != nil
                    && $0.direction == (client.sends ? .recvonly : .sendonly)
            })
        // webrtcbin refuses other values of media that share a transport.
        if !given.groups.isEmpty {
            #expect(Set(given.media.map(\.transport.username)).count == 1)
            #expect(Set(given.media.map(\.transport.password)).count == 1)
        }
        #expect(try SDPDescription(given.text) == given)

        let local = OfferFixture.local(of: answer, sends: client.sends)
        let description = try answer.description(with: local)
        #expect(description.media.map(Self.summary) == client.answer)
        #expect(description.media.map(\.name) == offer.media.map(\.name))
        #expect(description.media.map(\.kind) == offer.media.map(\.kind))
        #expect(description.media.map(\.transportProtocol) == offer.media.map(\.transportProtocol))
        // A room does not need the names of a far end's streams.
        var read = description
        for index in read.media.indices { read.media[index].stream = nil }
        #expect(try SDPDescription(description.text) == read)
        // The first medium of the group has the shared transport.
        if let first = description.groups.first?.first {
            let medium = try #require(description.media.first { $0.name == first })
            #expect(medium.hasPort && !medium.transport.candidates.isEmpty)
        }
    }

    @Test func `the room's offer and the client's answer have exactly the expected text`() throws {
        let offer = try OfferFixture.description("livekit")
        let answer = try SDPAnswer(to: offer, on: .guest)
        #expect(
            answer.offerForRoom.text.split(separator: "\r\n") == [
                "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0 1",
                "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0", "a=sendonly",
                "a=ice-ufrag:Lk4a", "a=ice-pwd:v7Ck2sLwq0Zr9TnYb4HdXe1M", Self.fingerprint,
                "a=setup:actpass", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0", "a=mid:1", "a=sendonly",
                "a=ice-ufrag:Lk4a", "a=ice-pwd:v7Ck2sLwq0Zr9TnYb4HdXe1M", Self.fingerprint,
                "a=setup:actpass", "a=rtcp-mux", "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack",
                "a=rtcp-fb:96 nack pli", "a=rtcp-fb:96 ccm fir", "a=rtcp-fb:96 transport-cc",
                "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
                "a=extmap:3 \(SDPDescription.transportWideURI)",
                "a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
                "a=rid:q send", "a=rid:h send", "a=rid:f send", "a=simulcast:send q;h;f",
            ])
        let local = OfferFixture.local(of: answer, sends: false)
        let transport = [
            "a=ice-ufrag:room", "a=ice-pwd:room-password-of-24-chars",
            "a=fingerprint:sha-256 0A:1B", "a=setup:active", "a=rtcp-mux",
        ]
        #expect(
            try answer.description(with: local).text.split(separator: "\r\n").map(String.init) == [
                "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 1 2",
                "m=application 0 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0", "a=mid:0",
                "a=inactive",
                "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:1", "a=recvonly",
            ] + transport + [
                "a=rtpmap:111 opus/48000/2", "a=fmtp:111 minptime=10;stereo=1;useinbandfec=1",
                "a=candidate:1 1 UDP 9 127.0.0.1 5000 typ host",
                "m=video 9 UDP/TLS/RTP/SAVPF 96 97", "c=IN IP4 0.0.0.0", "a=mid:2", "a=recvonly",
            ] + transport + [
                "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack", "a=rtcp-fb:96 nack pli",
                "a=rtcp-fb:96 ccm fir", "a=rtcp-fb:96 transport-cc", "a=rtpmap:97 rtx/90000",
                "a=fmtp:97 apt=96", "a=extmap:3 \(SDPDescription.transportWideURI)",
                "a=extmap:10 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
                "a=rid:q recv", "a=rid:h recv", "a=rid:f recv", "a=simulcast:recv q;h;f",
            ])
    }

    private static let fingerprint: Substring =
        "a=fingerprint:sha-256 6E:0B:52:1F:A8:33:90:17:C4:2D:7E:F1:08:B6:59:AA:43:DD:12:67:9F:E0:35:8C:71:24:BE:06:D8:4F:A3:5B"

    // MARK: Changes of an offer

    private static let transport = """
        c=IN IP4 0.0.0.0
        a=ice-ufrag:abcd
        a=ice-pwd:abcdefghijklmnopqrstuvwx
        a=fingerprint:sha-256 AA:BB
        a=setup:actpass
        a=rtcp-mux
        """

    private static func video(
        _ name: String? = "v", formats: String = "96", port: Int = 9,
        direction: String = "recvonly",
        lines: String = "a=rtpmap:96 VP8/90000"
    ) -> String {
        medium("video", name, formats, port, direction, lines)
    }

    private static func audio(
        _ name: String? = "a", port: Int = 9, direction: String = "recvonly"
    ) -> String {
        medium("audio", name, "111", port, direction, "a=rtpmap:111 opus/48000/2")
    }

    private static let data =
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\n\(transport)\na=mid:d\na=sctp-port:5000\n"

    private static func medium(
        _ kind: String, _ name: String?, _ formats: String, _ port: Int, _ direction: String,
        _ lines: String
    ) -> String {
        "m=\(kind) \(port) UDP/TLS/RTP/SAVPF \(formats)\n\(transport)\na=\(direction)\n"
            + (name.map { "a=mid:\($0)\n" } ?? "") + lines + "\n"
    }

    private static func offer(group: String?, _ media: String...) throws -> SDPDescription {
        try SDPDescription(
            "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\nt=0 0\n"
                + (group.map { "a=group:BUNDLE \($0)\n" } ?? "") + media.joined())
    }

    private static func answer(
        to offer: SDPDescription, videos: Int = 1
    ) throws -> SDPDescription {
        let answer = try SDPAnswer(to: offer, on: .viewer(videos: videos))
        return try answer.description(with: OfferFixture.local(of: answer, sends: true))
    }

    @Test
    func `unsupported media are inactive or rejected, and the others are served`()
        throws
    {
        let cases: [(offer: SDPDescription, ports: [Bool], group: [String]?)] = [
            (
                try Self.offer(group: "v a d", Self.video(), Self.audio(), Self.data),
                [true, true, false], ["v", "a"]
            ),
            (
                try Self.offer(group: "d v a", Self.data, Self.video(), Self.audio()),
                [false, true, true], ["v", "a"]
            ),
            // Without a name a medium is in no group.
            (
                try Self.offer(group: "v a", Self.video(), Self.audio(), Self.video(nil)),
                [true, true, false], ["v", "a"]
            ),
            (try Self.offer(group: nil, Self.video(nil)), [true], nil),
            (try Self.offer(group: nil, Self.video(nil), Self.audio(nil)), [true, true], nil),
            (try Self.offer(group: "a v", Self.video(), Self.audio()), [true, true], ["a", "v"]),
            (try Self.offer(group: "a", Self.video(), Self.audio()), [false, true], ["a"]),
            (
                try Self.offer(group: "v a", Self.video(port: 0), Self.audio()), [false, true],
                ["a"]
            ),
            (try Self.offer(group: nil, Self.video(port: 0), Self.audio()), [false, true], nil),
            (
                try Self.offer(
                    group: "a v", Self.audio(), Self.video(port: 0) + "a=bundle-only\n"),
                [true, true], ["a", "v"]
            ),
            (
                try Self.offer(group: "v a b", Self.video(), Self.audio(), Self.audio("b")),
                [true, true, true], ["v", "a", "b"]
            ),
            (
                try Self.offer(
                    group: "v a", Self.video(), Self.audio(direction: "inactive")),
                [true, true], ["v", "a"]
            ),
        ]
        for (offer, ports, group) in cases {
            let answer = try Self.answer(to: offer)
            #expect(answer.media.map(\.hasPort) == ports, "\(offer.text)")
            #expect(answer.groups.first == group, "\(offer.text)")
            #expect(answer.media.map(\.name) == offer.media.map(\.name))
            for (medium, line) in zip(answer.media, answer.text.split(separator: "m=").dropFirst())
            where medium.direction == .inactive {
                #expect(line.contains(" 0 ") != medium.hasPort)
                #expect(line.contains("candidate") == (medium.name == group?.first))
                #expect(group?.contains(medium.name ?? "") ?? false == medium.hasPort)
                // aiortc refuses an answer with a medium that has no transport and no codec.
                guard medium.hasPort else { continue }
                #expect(line.contains("a=ice-ufrag:") && line.contains("a=setup:"))
                #expect(line.contains("a=rtpmap:") && line.contains("a=rtcp-mux"))
            }
        }
    }

    @Test func `a shared transport is that of the first medium in the group`() throws {
        let offer = try OfferFixture.description("aiortc-1.4-send")
        let given = try SDPAnswer(to: offer, on: .guest).offerForRoom
        #expect(given.media.map(\.transport.username) == ["4fGk", "4fGk"])
        #expect(given.media.flatMap(\.transport.candidates).map(\.port) == [50001])
        // Without the audio it is the video's.
        var video = offer
        video.media[0].hasPort = false
        let rest = try SDPAnswer(to: video, on: .guest).offerForRoom
        #expect(rest.media.map(\.transport.username) == ["9hJm"])
        #expect(rest.media.flatMap(\.transport.candidates).map(\.port) == [50002])
    }

    private static let h264 = "a=rtpmap:96 H264/90000\na=fmtp:96 "

    @Test(
        arguments: [
            ("profile-level-id=42e01f;packetization-mode=1", true, "42e01f"),
            ("profile-level-id=4D0028; packetization-mode=1", true, "4D0028"),
            ("profile-level-id=640032;packetization-mode=1", true, "640032"),
            ("profile-level-id=42e01f", true, "42e01f"), ("x=1", true, nil),
            ("profile-level-id=f4001f;packetization-mode=1", false, "profile-level-id=f4001f"),
            ("profile-level-id=6e001f;packetization-mode=1", false, "profile-level-id=6e001f"),
            ("profile-level-id=zz;packetization-mode=1", false, "profile-level-id=zz"),
            ("profile-level-id=42e01f;packetization-mode=0", false, "packetization-mode=0"),
        ] as [(String, Bool, String?)])
    func `an H.264 offer is answered with its profile, or refused with the parameter`(
        parameters: String, isServed: Bool, word: String?
    ) throws {
        let offer = try Self.offer(group: nil, Self.video(lines: Self.h264 + parameters))
        if isServed {
            let payload = try Self.answer(to: offer).media[0].payloads[0]
            #expect(payload["profile-level-id"] == word)
        } else {
            let error = #expect(throws: RequestError.self) { try Self.answer(to: offer) }
            #expect(
                error?.code.rawValue == 406 && error?.description.contains(word ?? "") ?? false,
                "\(error as Any)"
            )
        }
    }

    @Test func `a guest may send H.264 in single packets, and VP8 goes first`() throws {
        let single = Self.h264 + "packetization-mode=0;profile-level-id=42e01f"
        let offer = try Self.offer(group: nil, Self.video(direction: "sendonly", lines: single))
        #expect(try SDPAnswer(to: offer, on: .guest).streams.map(\.video) == [.h264])
        let both = try Self.offer(
            group: nil,
            Self.video(
                formats: "96 97", direction: "sendonly", lines: single + "\na=rtpmap:97 VP8/90000"))
        #expect(try SDPAnswer(to: both, on: .guest).streams.map(\.payload) == [97])
    }

    @Test func `a viewer gets the codec that it names first, all videos the same`() throws {
        let lines =
            "a=rtpmap:96 H264/90000\na=rtpmap:97 VP8/90000\na=rtpmap:98 H264/90000\n"
            + "a=fmtp:98 packetization-mode=1"
        for (formats, payload) in [("96 97 98", 98), ("97 98", 97), ("50 97", 97)] {
            let offer = try Self.offer(group: nil, Self.video(formats: formats, lines: lines))
            #expect(
                try SDPAnswer(to: offer, on: .viewer(videos: 1)).streams.map(\.payload) == [payload]
            )
        }
        let two = try Self.offer(
            group: "v w", Self.video(formats: "96 97", lines: lines),
            Self.video("w", formats: "97 96", lines: lines))
        #expect(
            try SDPAnswer(to: two, on: .viewer(videos: 2)).streams.map(\.video) == [.h264, .h264])
    }

    @Test func `an offer without usable media is refused with the reason`() throws {
        let cases: [(SDPDescription, Int, String)] = [
            (try Self.offer(group: nil, Self.data), 406, "no audio or video"),
            (try Self.offer(group: nil, Self.video(port: 0)), 406, "no audio or video"),
            (
                try Self.offer(group: nil, Self.video(lines: "a=rtpmap:96 VP9/90000")), 406,
                "VP8 or H.264"
            ),
            (try Self.offer(group: nil, Self.video(direction: "sendonly")), 406, "a=sendonly"),
            (
                try Self.offer(
                    group: nil, Self.video().replacing("a=fingerprint", with: "a=x")), 400,
                "a=fingerprint"
            ),
        ]
        for (offer, status, text) in cases {
            let error = #expect(throws: RequestError.self) { try Self.answer(to: offer) }
            #expect(
                error?.code.rawValue == status && error?.description.contains(text) ?? false,
                "\(error as Any)")
        }
    }

    @Test func `an answer has as many slots as the offer has videos, up to the limit`() throws {
        let videos = (0..<3).map { Self.video("v\($0)") }.joined()
        let offer = try Self.offer(group: "v0 v1 v2 a", videos, Self.audio())
        for (count, group) in [(3, ["v0", "v1", "v2", "a"]), (0, ["v0", "v1", "v2", "a"])] {
            let answer = try Self.answer(to: offer, videos: count)
            #expect(answer.media.count { $0.kind == "video" && $0.direction == .sendonly } == count)
            #expect(answer.groups == [group])
        }
    }

    @Test func `no unchecked text of an offer reaches the room's own descriptions`() throws {
        let marks = ["\"", "evil", "\u{7f}"]
        for name in Self.clients.map(\.name) {
            let text = try OfferFixture.text(name)
            let lines = text.split(separator: "\r\n").map(String.init)
            for (index, line) in lines.enumerated() where line.hasPrefix("a=") {
                var changed = lines
                changed[index] = line + " \"evil\""
                guard let offer = try? SDPDescription(changed.joined(separator: "\r\n")),
                    let answer = try? SDPAnswer(to: offer, on: .guest)
                else { continue }
                let texts = answer.offerForRoom.text
                // A `cname` is a name of any characters, and its rest is another attribute.
                #expect(!marks.contains { texts.contains($0) }, "\(name): \(line)")
            }
        }
    }

    // MARK: A media server's answer

    @Test func `a server's answer is read together with the room's offer`() throws {
        let twcc = "a=rtcp-fb:96 transport-cc\na=extmap:3 \(SDPDescription.transportWideURI)"
        let offer = try Self.offer(
            group: "video0 audio1",
            Self.video("video0", direction: "sendonly", lines: "a=rtpmap:96 VP8/90000\n\(twcc)"),
            // webrtcbin writes all media but the first so.
            Self.audio("audio1", port: 0, direction: "sendonly") + "a=bundle-only\n")
        let server = try Self.offer(
            group: "0 1", Self.video("0", formats: "96", lines: "a=rtpmap:96 VP8/90000\n\(twcc)"),
            Self.audio("1"))
        let answer = try ServerAnswer(server, to: offer)
        #expect(answer.description.media.map(\.name) == ["video0", "audio1"])
        #expect(answer.description.media.allSatisfy { $0.hasPort && !$0.isBundleOnly })
        #expect(answer.description.media.map(\.direction) == [.recvonly, .recvonly])
        #expect(answer.description.groups == [["video0", "audio1"]] && answer.hasFeedback)

        let deaf = try Self.offer(group: "0 1", Self.video("0"), Self.audio("1", port: 0))
        let half = try ServerAnswer(deaf, to: offer)
        #expect(half.description.media.map(\.hasPort) == [true, false] && !half.hasFeedback)
        #expect(half.isServed == [true, false])
        // The first medium keeps the shared transport after the server has rejected it.
        let blind = try ServerAnswer(
            try Self.offer(group: "1", Self.video("0", port: 0), Self.audio("1")), to: offer)
        #expect(blind.description.media.map(\.hasPort) == [true, true])
        #expect(blind.description.media.map(\.direction) == [.inactive, .recvonly])
        #expect(blind.isServed == [false, true])
        for wrong in [
            try Self.offer(group: "0", Self.video("0")),
            try Self.offer(group: "0 1", Self.video("0", port: 0), Self.audio("1", port: 0)),
            try Self.offer(group: "0 1", Self.audio("0"), Self.video("1")),
        ] {
            #expect(throws: RequestError.self) { try ServerAnswer(wrong, to: offer) }
        }
    }
}
