internal import FoundationEssentials
import RoomAccess

/// A STUN or TURN server: a word of the settings `stun` and `turn` (RFC 7064, RFC 7065).
package struct IceServer: Equatable, Sendable {
    package enum Scheme: String, Sendable {
        case stun, turn, turns
    }

    package enum Transport: String, Sendable {
        case udp, tcp
    }

    package let scheme: Scheme
    /// The host: a name, an IPv4 address, or an IPv6 address in brackets.
    package let host: String
    package let port: UInt16
    package let transport: Transport?

    /// Reads `HOST`, `HOST:PORT` or `SCHEME:HOST:PORT?transport=tcp`.
    ///
    /// - Parameter setting: The setting, `stun` or `turn`, which is the default scheme.
    /// - Returns: The server; nil if the text has another form.
    package init?(_ text: some StringProtocol, setting: Scheme) {
        guard
            let match = String(text).wholeMatch(
                of:
                    /((stun|turns|turn):)?([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(:([0-9]{1,5}))?(\?transport=(udp|tcp))?/
            )?.output, text.utf8.count <= 300
        else { return nil }
        let scheme = match.2.flatMap { Scheme(rawValue: String($0)) } ?? setting
        guard (scheme == .stun) == (setting == .stun) else { return nil }
        let port = match.5.map { UInt16($0) } ?? (scheme == .turns ? 5349 : 3478)
        guard let port, port > 0 else { return nil }
        let transport = match.7.flatMap { Transport(rawValue: String($0)) }
        // STUN always uses UDP, so it has no transport option. TURN over TLS requires TCP.
        if transport != nil, scheme == .stun { return nil }
        if transport == .udp, scheme == .turns { return nil }
        (self.scheme, self.port, self.transport) = (scheme, port, transport)
        host = String(match.3)
    }

    /// The URL for browsers and WHIP clients.
    package var url: String {
        "\(scheme.rawValue):\(host):\(port)"
            + (transport.map { "?transport=\($0.rawValue)" } ?? "")
    }

    /// The URL for GStreamer's agent.
    ///
    /// - Parameter credential: The user of the TURN server; nil if none.
    package func agentURL(_ credential: IceServers.Credential?) -> String {
        let user = credential.map {
            "\(Self.encoded($0.username)):\(Self.encoded($0.password))@"
        }
        return "\(scheme.rawValue)://\(user ?? "")\(host):\(port)"
            + (transport.map { "?transport=\($0.rawValue)" } ?? "")
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                String(Unicode.Scalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}

/// The STUN and TURN servers of a room, for its own agent, its page and other programs.
package struct IceServers: Sendable {
    /// A user of a TURN server.
    package struct Credential: Equatable, Sendable {
        package var username: String
        package var password: String

        /// Describes a user.
        package init(username: String, password: String) {
            (self.username, self.password) = (username, password)
        }
    }

    /// The way in which a TURN server authenticates users.
    package enum Access: Sendable {
        case open
        case fixed(Credential)
        /// The server computes passwords from a secret that it shares with the room: the HMAC-SHA-1
        /// of the user name.
        case shared(sign: @Sendable (_ username: String) -> [UInt8])
    }

    /// A server in the form that `RTCPeerConnection` accepts.
    package struct ForPage: Encodable, Equatable, Sendable {
        package var urls: [String]
        package var username: String?
        package var credential: String?
    }

    package let servers: [IceServer]
    private let access: Access

    /// The lifetime of a computed password, in seconds.
    package static let lifetime = 24 * 3600

    /// - Parameter access: The authentication of the TURN servers.
    package init(_ servers: [IceServer] = [], access: Access = .open) {
        (self.servers, self.access) = (servers, access)
    }

    package var isEmpty: Bool { servers.isEmpty }
    package var hasTURN: Bool { servers.contains { $0.scheme != .stun } }

    /// The user for a time; nil if the servers require none.
    ///
    /// - Parameter now: The time in seconds since 1970.
    package func credential(at now: Int) -> Credential? {
        switch access {
        case .open: return nil
        case .fixed(let credential): return credential
        case .shared(let sign):
            let username = "\(now + Self.lifetime):greenroom"
            return Credential(
                username: username, password: Data(sign(username)).base64EncodedString())
        }
    }

    /// The servers for the page.
    package func forPage(at now: Int) -> [ForPage] {
        let credential = credential(at: now)
        return servers.map { server in
            guard server.scheme != .stun else { return ForPage(urls: [server.url]) }
            return ForPage(
                urls: [server.url], username: credential?.username,
                credential: credential?.password)
        }
    }

    /// The `Link` headers of an answer to WHIP and WHEP (RFC 9725), one per server.
    package func links(at now: Int) -> [String] {
        let credential = credential(at: now)
        return servers.map { server in
            var link = "<\(server.url)>; rel=\"ice-server\""
            guard server.scheme != .stun, let credential else { return link }
            link += "; username=\"\(Self.quoted(credential.username))\""
            link += "; credential=\"\(Self.quoted(credential.password))\""
            return link + "; credential-type=\"password\""
        }
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    /// The URLs for GStreamer's agent, which accepts one STUN server.
    package func forAgent(at now: Int) -> (stun: String?, turn: [String]) {
        let credential = credential(at: now)
        return (
            servers.first { $0.scheme == .stun }?.agentURL(nil),
            servers.filter { $0.scheme != .stun }.map { $0.agentURL(credential) }
        )
    }
}
