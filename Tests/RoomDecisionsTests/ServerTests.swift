import Testing

@testable import RoomDecisions

@Suite struct ServerTests {
    private static func answer(video: String) -> String {
        """
        v=0
        o=- 1 1 IN IP4 0.0.0.0
        s=-
        a=fingerprint:sha-256 00
        a=ice-ufrag:abcd
        m=audio 9 UDP/TLS/RTP/SAVPF 111
        a=mid:0
        a=recvonly
        m=video \(video)
        """
    }

    private func problem(_ status: Int, body: String = "", type: String = "") -> String {
        var reply = ServerReply(status: status)
        (reply.body, reply.type, reply.problem) = (body, type, "Connection refused")
        do throws(ServerError) {
            return try reply.answer(for: .publish, hasVideo: true, name: "").warning ?? "none"
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            (0, "no answer: Connection refused"), (401, "Check publish-token"),
            (403, "not allowed"), (404, "not found"), (405, "not an address of WHIP"),
            (406, "server-codec"), (409, "endpoint busy"), (503, "not available now (503)"),
            (200, "200 instead of 201"), (-7, "-7 instead of 201"),
        ])
    func `the error for each status of a server names the cause or the setting`(
        status: Int, text: String
    ) {
        #expect(problem(status).contains(text), "\(problem(status))")
    }

    @Test func `a server's message is shortened to one line, without HTML`() {
        let words = problem(
            500, body: "no\r\nroom" + String(repeating: "x", count: 900), type: "text/plain")
        #expect(words.contains("no  room") && words.count < 300, "\(words)")
        #expect(!problem(500, body: "<html>", type: "text/html").contains("<"))
    }

    /// Media of an answer, as `kind` with a direction.
    private static func answer(_ media: [(kind: String, direction: String)]) -> String {
        let head = "v=0\no=- 1 1 IN IP4 0.0.0.0\ns=-\na=fingerprint:sha-256 00\na=ice-ufrag:abcd"
        let lines = media.enumerated().map { index, medium in
            "m=\(medium.kind) \(medium.direction == "none" ? 0 : 9) UDP/TLS/RTP/SAVPF 96\na=mid:\(index)"
                + "\na=\(medium.direction == "none" ? "inactive" : medium.direction)"
        }
        return ([head] + lines).joined(separator: "\n")
    }

    @Test(arguments: [ServerPurpose.publish, .fetch], [true, false])
    func `a server may accept audio without video, or video without audio`(
        purpose: ServerPurpose, hasVideo: Bool
    ) {
        let goes = purpose == .publish ? "recvonly" : "sendonly"
        for (video, audio, text) in [
            (goes, goes, nil), (goes, "none", "no audio"), ("none", goes, "no video"),
            ("none", "none", "no video"),
        ] as [(String, String, String?)] {
            var reply = ServerReply(status: 201)
            reply.body = Self.answer(
                (hasVideo ? [("video", video)] : []) + [("audio", audio)])
            let isExpected = audio == goes || hasVideo && video == goes
            do throws(ServerError) {
                let found = try reply.answer(for: purpose, hasVideo: hasVideo, name: "Hall")
                #expect(isExpected)
                guard hasVideo else { continue }
                #expect(found.warning.map { $0.contains(text ?? "-") } ?? (text == nil))
            } catch {
                #expect(!isExpected, "\(error)")
            }
        }
    }

    @Test(
        arguments: [
            ("9 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=recvonly", "none"),
            ("9 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=inactive", "has no video"),
            ("0 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=recvonly", "has no video"),
            ("9 UDP/TLS/RTP/SAVPF 96\na=mid:1\na=sendonly", "has no video"),
            ("9", "not usable"),
        ])
    func `an answer that does not accept the video is reported`(video: String, text: String) {
        let found = problem(201, body: Self.answer(video: video))
        #expect(found.contains(text), "\(found)")
    }

    @Test func `an answer that is not SDP, or too long, is refused`() {
        for body in ["", "<html>", String(repeating: "v=0\n", count: 30_000)] {
            #expect(problem(201, body: body).contains("not usable"))
        }
    }

    @Test func `a server is retried ever later, and no earlier than the server asks`() {
        var backoff = ServerBackoff()
        #expect((0..<8).map { _ in backoff.next(wanted: 0) } == [1, 2, 4, 8, 15, 30, 30, 30])
        #expect(backoff.next(wanted: 60) == 60 && backoff.next(wanted: .max) == 300)
        #expect(backoff.next(wanted: .min) == 30)
        backoff.reset()
        #expect(backoff.next(wanted: 0) == 1)
    }

    @Test(
        arguments: [
            ("https://media.example/whip", "https://MEDIA.example:8443/whep?x=1", true),
            ("http://localhost:7080/whip", "http://127.0.0.1:7090/whep", true),
            ("http://[::1]/whip", "http://localhost/whep", true),
            ("https://media.example/whip", "https://other.example/whep", false),
            ("https://media.example/whip", "https://a.media.example/whep", false),
        ])
    func `two addresses with the same host are the same server`(
        one: String, other: String, isSame: Bool
    ) throws {
        let (one, other) = (try #require(ServerAddress(one)), try #require(ServerAddress(other)))
        #expect(one.isSameServer(as: other) == isSame)
    }

    @Test(
        arguments: [
            ("https://media.example/whip/key?x=1", "https://media.example"),
            ("http://user:word@[::1]:8080/whip", "http://[::1]:8080"),
            ("http://127.0.0.1:1", "http://127.0.0.1:1"),
            ("ftp://media.example/", nil), ("https://", nil), ("media.example/whip", nil),
            ("https://a b/", nil), ("https://a/\r\nX: y", nil), ("file:///etc/passwd", nil),
        ] as [(String, String?)])
    func `a server's address is http or https, and is shown as its origin`(
        text: String, origin: String?
    ) {
        #expect(ServerAddress(text)?.origin == origin)
    }
}
