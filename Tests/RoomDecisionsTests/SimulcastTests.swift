import RoomDecisions
import Testing

/// Tests which layers of its video a room offers to a media server, and which of them the server's answer leaves.
@Suite struct SimulcastTests {
    private static let transport = """
        c=IN IP4 0.0.0.0
        a=ice-ufrag:abcd
        a=ice-pwd:0123456789012345678901
        a=fingerprint:sha-256 AA:BB
        a=setup:actpass
        a=rtcp-mux
        """

    private static let names = [
        "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid",
        "a=extmap:5 urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id",
        "a=extmap:6 urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id",
    ]

    /// A description with a video and retransmissions.
    private static func video(_ lines: [String], direction: String = "recvonly") -> String {
        let head = [
            "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96 97",
        ]
        let codecs = [
            "a=mid:video0", "a=\(direction)", "a=rtpmap:96 VP8/90000", "a=rtpmap:97 rtx/90000",
            "a=fmtp:97 apt=96",
        ]
        return (head + transport.split(separator: "\n").map(String.init) + codecs + lines)
            .joined(separator: "\r\n") + "\r\n"
    }

    private static let audio =
        "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:audio1\r\na=rtpmap:111 opus/48000/2\r\n"
    private static let layers =
        "a=rid:f send\r\na=rid:h send\r\na=rid:q send\r\na=simulcast:send f;h;q\r\n"

    @Test func `the layers are in the video's part of an offer, the best first`() {
        let video = Self.video(Self.names, direction: "sendonly")
        #expect(Simulcast.offer(video) == video + Self.layers)
        #expect(Simulcast.offer(video + Self.audio) == video + Self.layers + Self.audio)
        let heard = "v=0\r\n" + Self.audio
        #expect(Simulcast.offer(heard) == heard)
    }

    @Test func `an offer in layers has one medium for the video, and the layers follow the audio`()
    {
        #expect(
            MediaStream.offered(.vp8, inLayers: true).map(\.layer) == [.full, nil, .half, .low])
        #expect(
            MediaStream.offered(.h264, inLayers: true).map(\.video) == [.h264, nil, .h264, .h264])
        #expect(MediaStream.offered(.vp8).map(\.layer) == [nil, nil])
        #expect(MediaStream.offered(nil, inLayers: true).map(\.video) == [nil])
    }

    @Test(
        arguments: [
            // The answer's line, the layers that remain, and whether retransmissions do.
            ("a=simulcast:recv f;h;q", names, [Rendition.full, .half, .low], true),
            ("a=simulcast:recv q;f;h", names, [.full, .half, .low], true),
            ("a=simulcast:recv h;q", names, [.half, .low], true),
            ("a=simulcast:recv q", names, [.low], true),
            // Alternatives, a layer that begins paused, unknown layers, and both directions.
            ("a=simulcast:recv f,h;q", names, [.full, .low], true),
            ("a=simulcast:recv ~f;h;q", names, [.half, .low], true),
            ("a=simulcast:recv 1;2;f", names, [.full], true),
            ("a=simulcast:send x recv f;h", names, [.full, .half], true),
            // The server could not tell to which layer a retransmission belongs.
            ("a=simulcast:recv f;h;q", Array(names.prefix(2)), [.full, .half, .low], false),
            // One stream.
            ("a=x-other", names, [], true), ("a=x-other", [], [], true),
            ("a=simulcast:send f;h;q", names, [], true), ("a=simulcast:recv", names, [], true),
            ("a=simulcast:recv 1;2;3", names, [], true), ("a=simulcast:recv ;;,", names, [], true),
        ] as [(String, [String], [Rendition], Bool)])
    func `the server's answer says which layers remain`(
        line: String, names: [String], layers: [Rendition], hasRetransmissions: Bool
    ) throws {
        let offer = try SDPDescription(
            Simulcast.offer(Self.video(Self.names, direction: "sendonly")))
        let answer = try ServerAnswer(SDPDescription(Self.video(names + [line])), to: offer)
        #expect(answer.layers == layers)
        #expect(answer.video == "video0")
        let medium = try #require(answer.description.media.first)
        #expect(medium.formats == (hasRetransmissions ? ["96", "97"] : ["96"]))
        // webrtcbin sees one stream.
        #expect(!answer.description.text.contains("simulcast"))
    }

    @Test(arguments: [[], [names[0]], [names[1]], [names[2]], names.map { $0 + "x" }])
    func `layers that the server could not tell apart are an error with the missing extension`(
        names: [String]
    ) throws {
        let offer = try SDPDescription(
            Simulcast.offer(Self.video(Self.names, direction: "sendonly")))
        let error = #expect(throws: RequestError.self) {
            let answer = try SDPDescription(Self.video(names + ["a=simulcast:recv f;h;q"]))
            _ = try ServerAnswer(answer, to: offer)
        }
        #expect(error?.description.contains("a=simulcast without a=extmap:") ?? false)
    }

    @Test(arguments: [
        (400, true), (406, true), (415, true), (422, true), (201, false), (409, false),
        (500, false),
    ])
    func `a server that refuses the offer gets another one, without layers`(
        status: Int, refuses: Bool
    ) {
        #expect(ServerReply(status: status).refusesOffer == refuses)
    }
}
