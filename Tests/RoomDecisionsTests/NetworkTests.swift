import RoomAccess
import RoomDecisions
import Testing

/// How a room is reached: announced addresses, STUN and TURN servers, links, and why media do not connect.
@Suite struct NetworkTests {
    @Test(
        arguments: [
            ("127.0.0.1", .machine), ("::1", .machine), ("169.254.3.4", .link), ("fe80::1", .link),
            ("10.0.0.5", .network), ("172.16.0.1", .network), ("172.32.0.1", .everywhere),
            ("192.168.1.2", .network), ("100.64.0.1", .network), ("100.128.0.1", .everywhere),
            ("fd00::1", .network), ("203.0.113.7", .everywhere), ("2001:DB8::7", .everywhere),
            ("0.0.0.0", nil), ("::", nil), ("224.0.0.1", nil), ("ff02::1", nil),
            ("room.example", nil),
            ("fe80::1%eth0", nil), ("", nil),
        ] as [(String, NetworkAddress.Reach?)])
    func `the reach of an address follows from its range`(
        text: String, reach: NetworkAddress.Reach?
    ) {
        #expect(NetworkAddress(text)?.reach == reach)
    }

    // MARK: Announced addresses

    private static let host = "1 1 UDP 2015363327 10.0.0.5 50001 typ host"
    private static let wide = "2 1 UDP 2015363583 fd00::5 50002 typ host"
    private static let seen =
        "3 1 UDP 1677722111 203.0.113.7 61000 typ srflx raddr 10.0.0.5 rport 50001"

    @Test(arguments: [
        ("", [host, wide, seen], [host, wide, seen]),
        // Link-local addresses, TCP, and separate RTCP are left out.
        (
            "",
            [
                host, "4 1 UDP 2015363327 fe80::1 50003 typ host",
                "5 1 UDP 2015363327 169.254.0.9 50004 typ host",
                "6 1 TCP 1015021823 10.0.0.5 9 typ host tcptype active",
                "7 2 UDP 2015363326 10.0.0.5 50005 typ host",
            ], [host]
        ),
        (
            "203.0.113.7 2001:db8::7", [host, wide],
            [
                host,
                "1a0 1 UDP 1679819007 203.0.113.7 50001 typ srflx raddr 10.0.0.5 rport 50001",
                wide, "2a0 1 UDP 1679819263 2001:db8::7 50002 typ srflx raddr fd00::5 rport 50002",
            ]
        ),
        // The machine has the announced address itself; a loopback address has no announced one.
        ("10.0.0.5", [host], [host]),
        (
            "203.0.113.7", ["1 1 UDP 2015363327 127.0.0.1 50001 typ host"],
            ["1 1 UDP 2015363327 127.0.0.1 50001 typ host"]
        ),
        // A router that forwards ports may have taken another one for what STUN has seen.
        (
            "auto", [host, seen],
            [
                host,
                "1a0 1 UDP 1679819007 203.0.113.7 50001 typ srflx raddr 10.0.0.5 rport 50001", seen,
            ]
        ),
        ("auto", [host], [host]),
    ])
    func `a description has the announced addresses and no unreachable ones`(
        setting: String, made: [String], told: [String]
    ) throws {
        func text(_ candidates: [String]) -> String {
            (["v=0", "m=audio 9 X 0", "a=mid:0"] + candidates.map { "a=candidate:\($0)" }
                + ["a=end-of-candidates", ""]).joined(separator: "\r\n")
        }
        #expect(try #require(Announcement(setting)).applied(to: text(made)) == text(told))
    }

    @Test(arguments: ["room.example", "127.0.0.1", "fe80::1", "0.0.0.0", "auto 1.2.3", "::"])
    func `an address that no other machine can use is refused for an announcement`(setting: String)
    {
        #expect(Announcement(setting) == nil)
    }

    // MARK: STUN and TURN

    @Test(
        arguments: [
            ("stun.example", .stun, "stun:stun.example:3478", "stun://stun.example:3478"),
            ("stun:10.0.0.1:19302", .stun, "stun:10.0.0.1:19302", "stun://10.0.0.1:19302"),
            (
                "turn.example:80?transport=tcp", .turn, "turn:turn.example:80?transport=tcp",
                "turn://1%3Aa:p%2Fw%3D@turn.example:80?transport=tcp"
            ),
            (
                "turns:[2001:db8::1]", .turn, "turns:[2001:db8::1]:5349",
                "turns://1%3Aa:p%2Fw%3D@[2001:db8::1]:5349"
            ),
            ("turn:a", .stun, nil, nil), ("stun:a", .turn, nil, nil), ("a:0", .stun, nil, nil),
            ("a:65536", .stun, nil, nil), ("a b", .stun, nil, nil), ("a/b", .turn, nil, nil),
            ("a?transport=udp", .stun, nil, nil), ("turns:a?transport=udp", .turn, nil, nil),
            ("u@a", .turn, nil, nil), ("2001:db8::1", .stun, nil, nil), ("a\r\nb", .turn, nil, nil),
        ] as [(String, IceServer.Scheme, String?, String?)])
    func `an ICE server is read, and written as URLs for browsers and the agent`(
        text: String, setting: IceServer.Scheme, url: String?, agent: String?
    ) {
        let server = IceServer(text, setting: setting)
        #expect(server?.url == url)
        let user = IceServers.Credential(username: "1:a", password: "p/w=")
        #expect(server?.agentURL(setting == .stun ? nil : user) == agent)
    }

    private static let servers = ["stun.example", "turn.example"].enumerated().compactMap {
        IceServer($1, setting: $0 == 0 ? .stun : .turn)
    }

    @Test func `a shared secret yields a one-day user and a link for each ICE server`() {
        let ice = IceServers(Self.servers, access: .shared { Array($0.utf8.reversed()) })
        #expect(
            ice.credential(at: 1_700_000_000)
                == IceServers.Credential(
                    username: "1700086400:greenroom", password: "bW9vcm5lZXJnOjAwNDY4MDAwNzE="))
        #expect(
            ice.links(at: 1_700_000_000) == [
                "<stun:stun.example:3478>; rel=\"ice-server\"",
                "<turn:turn.example:3478>; rel=\"ice-server\"; username=\"1700086400:greenroom\"; "
                    + "credential=\"bW9vcm5lZXJnOjAwNDY4MDAwNzE=\"; credential-type=\"password\"",
            ])
        #expect(
            ice.forPage(at: 1_700_000_000).map(\.credential) == [
                nil, "bW9vcm5lZXJnOjAwNDY4MDAwNzE=",
            ])
        #expect(
            ice.forAgent(at: 1_700_000_000).turn.first?.hasPrefix("turn://1700086400%3A") == true)
        let fixed = IceServers(
            Self.servers,
            access: .fixed(IceServers.Credential(username: "a\"b", password: "c\\d")))
        #expect(fixed.links(at: 0)[1].contains("username=\"a\\\"b\"; credential=\"c\\\\d\""))
        #expect(IceServers().links(at: 0).isEmpty && IceServers().forPage(at: 0).isEmpty)
    }

    // MARK: Links

    @Test func `links lead to addresses that others can open`() {
        let machine = [
            "127.0.0.1", "fe80::1", "fd00::5", "172.17.0.1", "10.0.0.5", "2001:db8::7", "10.0.0.5",
        ]
        .compactMap { NetworkAddress($0) }
        func urls(_ address: String, _ url: String? = nil, isSecure: Bool = false) -> [String] {
            PageAddress(
                publicURL: url, address: address, port: 8080, isSecure: isSecure, machine: machine
            ).urls
        }
        #expect(urls("127.0.0.1") == ["http://127.0.0.1:8080/"])
        #expect(urls("2001:db8::7", isSecure: true) == ["https://[2001:db8::7]:8080/"])
        #expect(urls("0.0.0.0") == ["http://172.17.0.1:8080/", "http://10.0.0.5:8080/"])
        #expect(
            urls("::") == [
                "http://[2001:db8::7]:8080/", "http://172.17.0.1:8080/", "http://10.0.0.5:8080/",
                "http://[fd00::5]:8080/",
            ])
        #expect(urls("0.0.0.0", "https://room.example") == ["https://room.example/"])
        #expect(
            PageAddress(
                publicURL: nil, address: "0.0.0.0", port: 1, isSecure: false, machine: []
            ).urls == ["http://127.0.0.1:1/"])
    }

    @Test(arguments: [
        ("https://Room.example/", "https://room.example"),
        ("http://[2001:db8::7]:8080", "http://[2001:db8::7]:8080"), ("room.example", nil),
        ("https://room.example/a", nil), ("https://a@b", nil), ("https://room.example/#x", nil),
    ])
    func `a public URL has no path, user or fragment`(text: String, origin: String?) {
        #expect(PageAddress.origin(text) == origin)
    }

    // MARK: Why media do not connect

    private static func candidates(_ texts: [String]) -> [SDPDescription.Candidate] {
        texts.compactMap { text in
            let words = text.split(separator: " ")
            return SDPDescription.Candidate(
                "1 1 UDP 1 \(words[0]) 5000 typ \(words.count > 1 ? words[1] : "host")")
        }
    }

    @Test(
        arguments: [
            (["127.0.0.1"], ["198.51.100.4 srflx"], nil, false, "set address to 0.0.0.0"),
            (
                ["10.0.0.5"], ["198.51.100.4 srflx"], 50_000...50_009, false,
                "set announce to its public address and forward the UDP ports 50000-50009, or set turn"
            ),
            (["203.0.113.7"], [], nil, false, "The far end sent no address"),
            (
                ["10.0.0.5", "2001:db8::7"], [], nil, false,
                "addresses: set announce to its public address"
            ),
            (
                ["10.0.0.5"], ["192.168.9.2"], nil, false,
                "on the same network open UDP, all ports; for"
            ),
            (
                ["10.0.0.5"], ["2001:db8::1"], nil, false,
                "The room has only IPv4, the far end only IPv6"
            ),
            (
                ["10.0.0.5", "203.0.113.7 srflx"], ["198.51.100.4"], nil, false,
                "open UDP, all ports, and forward them on the router, or set turn"
            ),
            (
                ["10.0.0.5"], ["198.51.100.4"], nil, true,
                "The TURN server gives the room no address"
            ),
            (
                ["10.0.0.5", "203.0.113.9 relay"], ["198.51.100.4"], nil, true,
                "the TURN server does not help"
            ),
            ([], [], nil, false, "The room has no address"),
        ] as [([String], [String], ClosedRange<UInt16>?, Bool, String)])
    func `the reason of a failed connection names the tried addresses and settings`(
        local: [String], remote: [String], ports: ClosedRange<UInt16>?, hasTURN: Bool,
        reason: String
    ) {
        let text = ConnectionTrouble(
            ConnectionTrouble.Facts(
                local: Self.candidates(local), remote: Self.candidates(remote), ports: ports,
                hasTURN: hasTURN)
        ).text
        #expect(text.contains(reason), "\(text)")
        for address in local + remote {
            #expect(text.contains("\(address.split(separator: " ")[0])"), "\(text)")
        }
    }
}
