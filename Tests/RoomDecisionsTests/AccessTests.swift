import RoomAccess
import RoomDecisions
import Testing

/// Tokens, origins and limits of a room.
@Suite struct AccessTests {
    private let access = Access(tokens: [
        .viewer: "a-viewers-token-1", .guest: "a-guests-token-12",
        .operator: "an-operators-token",
    ])

    @Test func `a valid token has its role, and a wrong token has none`() {
        #expect(access.role(of: "a-viewers-token-1") == .viewer)
        #expect(access.role(of: "a-guests-token-12") == .guest)
        #expect(access.role(of: "an-operators-token") == .operator)
        for wrong in [
            "", "a", "a-viewers-token", "a-viewers-token-2", "A-viewers-token-1",
            "a-viewers-token-1a-viewers-token-1",
        ] {
            #expect(access.role(of: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a room without tokens gives no role to any token`() {
        let closed = Access(tokens: [:])
        for token in ["", " ", "viewer"] { #expect(closed.role(of: token) == nil) }
    }

    @Test func `the metrics token reads the metrics and has no role`() {
        let access = Access(
            tokens: [.viewer: "a-viewers-token-1", .operator: "an-operators-token"],
            metricsToken: "a-metrics-token-1")
        for (token, mayRead) in [
            ("a-metrics-token-1", true), ("an-operators-token", true),
            ("a-viewers-token-1", false), ("", false), ("a-metrics-token-2", false),
        ] { #expect(access.mayReadMetrics(header: "Bearer \(token)") == mayRead, "\(token)") }
        #expect(access.role(ofHeader: "Bearer a-metrics-token-1") == nil)
        #expect(!self.access.mayReadMetrics(header: "Bearer "))
    }

    @Test func `a role has all rights of lower roles`() {
        #expect(Access.Role.viewer < .guest)
        #expect(Access.Role.guest < .operator)
    }

    @Test(arguments: [
        ("Bearer a-guests-token-12", true), ("bearer a-guests-token-12", true),
        ("Basic a-guests-token-12", false), ("a-guests-token-12", false), ("Bearer", false),
        ("Bearer a-guests-token-12 more", false), (nil, false),
    ])
    func `a bearer token is read from its header`(header: String?, isValid: Bool) {
        #expect(access.role(ofHeader: header) == (isValid ? .guest : nil))
    }

    @Test(
        arguments: [
            ("", "https://page.example", false), ("*", "https://page.example", true),
            ("*", "null", true), ("*", nil, false), ("*", "a\r\nX: y", false),
            ("https://page.example http://[::1]:81", "https://PAGE.example", true),
            ("https://page.example http://[::1]:81", "http://[::1]:81", true),
            ("https://page.example", "https://page.example.evil", false),
            ("https://page.example", "http://page.example", false),
            ("https://page.example", "https://page.example:444", false),
        ] as [(String, String?, Bool)])
    func `pages of allowed origins may use the room`(
        setting: String, origin: String?, isAllowed: Bool
    ) throws {
        let origins = try #require(AllowedOrigins(setting))
        #expect(origins.allows(origin) == isAllowed)
    }

    @Test(arguments: [
        "page.example", "https://page.example/", "* https://page.example", "ftp://a",
        "https://a,https://b", "https://", "https://a:x",
    ])
    func `a setting with a word that is not an origin is refused`(text: String) {
        #expect(AllowedOrigins(text) == nil)
    }

    @Test func `answers to other origins expose Location and Link, and preflights list methods`() {
        let names = { (isPreflight: Bool) in
            AllowedOrigins.headers(for: "https://a", isPreflight: isPreflight).map(\.name)
        }
        let answer = AllowedOrigins.headers(for: "https://a", isPreflight: false)
        #expect(answer.contains { $0.value.contains("Location, Link") })
        #expect(names(true).contains("Access-Control-Allow-Methods"))
        for isPreflight in [true, false] {
            #expect(names(isPreflight).prefix(2) == ["Access-Control-Allow-Origin", "Vary"])
        }
    }

    @Test func `secrets are long and differ`() {
        let secrets = (0..<100).map { _ in Secret.random() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.count == 26 })
    }

    @Test(
        arguments: [
            (nil, "127.0.0.1:80", true), ("http://127.0.0.1:80", "127.0.0.1:80", true),
            ("https://room.example", "ROOM.example", true),
            ("http://evil.example", "127.0.0.1:80", false), ("null", "127.0.0.1:80", false),
            ("http://127.0.0.1:81", "127.0.0.1:80", false), ("http://127.0.0.1:80", nil, false),
        ] as [(String?, String?, Bool)])
    func `a request from another origin does not count as the room's own page`(
        origin: String?, host: String?, isSame: Bool
    ) {
        #expect(Access.isSameOrigin(origin, host: host) == isSame)
    }

    @Test func `an address may send a burst, and then as much as the rate`() {
        var limit = RequestLimit(burst: 3, rate: 2)
        let first = (0..<5).map { _ in limit.allows("a", at: 0) }
        #expect(first == [true, true, true, false, false])
        let others = limit.allows("b", at: 0)
        #expect(others)
        // Half a second later there is one more. A clock that goes back gives nothing.
        let later = [0.5, 0.5, 0].map { limit.allows("a", at: $0) }
        #expect(later == [true, false, false])
    }

    @Test(arguments: [
        ("  Ana \u{202E}\n Maria\t", "Ana Maria"), ("😀", "😀"),
        // Persian, Sinhala, a family and the flag of Scotland have joiners and tag characters.
        ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("ක්\u{200D}ෂ", "ක්\u{200D}ෂ"),
        ("👩‍👩‍👧", "👩‍👩‍👧"), ("🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"),
        ("\u{2067}Ana\u{2069} \u{200F}B", "Ana B"),
        (String(repeating: "x", count: 500), String(repeating: "x", count: 40)),
    ])
    func `a person's name becomes one visible line of at most 40 characters`(
        given: String, name: String
    ) throws {
        #expect(try RoomLimits.name(given) == name)
    }

    @Test func `a name has at most 100 bytes, and at least one character`() throws {
        #expect(try RoomLimits.name(String(repeating: "語", count: 40)).utf8.count <= 100)
        for empty in ["", "  \n", "\u{200B}", "\u{200D}\u{E0067}"] {
            #expect(throws: RequestError.self) { try RoomLimits.name(empty) }
        }
    }
}
