import RoomDecisions
import Testing

/// Candidates that follow an offer.
@Suite struct CandidateTests {
    private static let udp = "a=candidate:1 1 UDP 2015363327 127.0.0.1 40000 typ host"

    private static func target(bundle: Bool) throws -> CandidateTarget {
        let media = ["audio 9 UDP/TLS/RTP/SAVPF 111", "video 9 UDP/TLS/RTP/SAVPF 96"]
        let offer = try SDPDescription(
            """
            v=0
            o=- 1 1 IN IP4 0.0.0.0
            s=-
            t=0 0
            \(bundle ? "a=group:BUNDLE sound picture data\n" : "")a=fingerprint:sha-256 00
            a=ice-pwd:abcdefghijklmnopqrstuvwx
            m=\(media[0])
            a=mid:sound
            a=ice-ufrag:abcd
            a=rtpmap:111 opus/48000/2
            m=\(media[1])
            a=mid:picture
            a=ice-ufrag:abcd
            a=rtpmap:96 VP8/90000
            m=application 9 UDP/DTLS/SCTP webrtc-datachannel
            a=mid:data

            """)
        return try SDPAnswer(to: offer, on: .guest).candidateTarget
    }

    private func problem(_ body: () throws -> Void) -> RequestError? {
        do {
            try body()
            return nil
        } catch {
            return error as? RequestError
        }
    }

    @Test func `candidates go to the transport of their medium`() throws {
        let text = "a=ice-ufrag:abcd\r\nm=video 9 X 0\r\na=mid:picture\r\n\(Self.udp)\r\n"
        let fragment = try CandidateFragment(text + "a=end-of-candidates\r\n")
        #expect(fragment.username == "abcd")
        #expect(fragment.candidates.map(\.address.text) == [String(Self.udp.dropFirst(2))])
        for (bundle, line) in [(true, 0), (false, 1)] {
            var target = try Self.target(bundle: bundle)
            let taken = try target.take(fragment)
            #expect(taken.map(\.line) == [line])
        }
    }

    @Test func `candidates with host names or TCP are left out`() throws {
        let fragment = try CandidateFragment(
            """
            a=mid:sound
            a=candidate:1 1 UDP 1 a1b2.local 40000 typ host
            a=candidate:1 1 TCP 1 127.0.0.1 9 typ host tcptype active
            a=candidate:1 1 UDP 1 ::1 40000 typ host
            """)
        #expect(fragment.candidates.map(\.medium) == ["sound"])
    }

    @Test func `an invalid or too long list of candidates is refused`() throws {
        let many = Array(repeating: Self.udp, count: 65).joined(separator: "\n")
        for text in [
            "", "hello", "a=mid:0", many, "a= b", "a=ice-ufrag:a\na=ice-ufrag:b",
            "a=candidate:\0",
        ] {
            #expect(problem { _ = try CandidateFragment(text) }?.code.rawValue == 400, "\(text)")
        }
        let long = String(repeating: "a=x\n", count: 5000)
        #expect(problem { _ = try CandidateFragment(long) } == .tooLarge)

        var target = try Self.target(bundle: true)
        // The room skips candidates of a rejected medium.
        let data = try CandidateFragment("a=mid:data\n\(Self.udp)")
        #expect(try target.take(data).isEmpty)
        let other = try CandidateFragment("a=ice-ufrag:wxyz\n\(Self.udp)")
        #expect(problem { _ = try target.take(other) }?.code.rawValue == 409)
        let nowhere = try CandidateFragment("a=mid:none\n\(Self.udp)")
        #expect(problem { _ = try target.take(nowhere) }?.code.rawValue == 400)
        // Of all fragments together.
        let half = try CandidateFragment(
            Array(repeating: Self.udp, count: 32).joined(separator: "\n"))
        #expect(problem { for _ in 0..<2 { _ = try target.take(half) } } == nil)
        #expect(problem { _ = try target.take(half) }?.code.rawValue == 400)
    }
}
