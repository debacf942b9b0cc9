import Foundation
import RoomDecisions

/// A response.
struct HTTPReply: Sendable {
    enum Body: Sendable {
        case data(Data)
        /// A stream of events, until the room closes or the reader goes.
        case events(EventStream)
    }

    let status: Int
    private(set) var headers: [(name: String, value: String)]
    let body: Body

    /// The content security policy: a page may load only the room's own files.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The time after which the place of a vanished viewer is free, in seconds.
    private static let retrySeconds = 15

    private static let usual = [
        (name: "Content-Security-Policy", value: policy),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        (
            "Permissions-Policy",
            "camera=(self), microphone=(self), display-capture=(self), fullscreen=(self)"
        ),
        ("Cache-Control", "no-store"),
    ]

    /// - Parameters:
    ///   - type: Of the body; nil without one.
    ///   - more: Headers, besides those of every response.
    private init(
        _ status: Int, _ type: String?, _ body: Body, _ more: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.body = body
        headers = Self.usual + more
        if let type { headers.append(("Content-Type", type)) }
        if status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
        if status == 503 { headers.append(("Retry-After", "\(Self.retrySeconds)")) }
    }

    static func file(_ bytes: [UInt8], _ type: String) -> HTTPReply {
        HTTPReply(200, "\(type); charset=utf-8", .data(Data(bytes)))
    }

    static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return HTTPReply(status, "application/json", .data(try encoder.encode(value)))
    }

    static func data(_ data: Data, _ type: String) -> HTTPReply {
        HTTPReply(200, type, .data(data))
    }

    static func events(_ events: EventStream) -> HTTPReply {
        HTTPReply(200, "text/event-stream", .events(events))
    }

    /// An answer to an offer.
    ///
    /// - Parameters:
    ///   - kind: The folder of the connection.
    ///   - id: The connection's.
    ///   - links: The STUN and TURN servers.
    static func created(
        _ sdp: String, in kind: String, _ id: String, links: [String]
    ) -> HTTPReply {
        HTTPReply(
            201, "application/sdp", .data(Data(sdp.utf8)),
            [
                ("Location", "/\(kind)/\(id)"), ("ETag", tag(of: id)),
                ("Accept-Patch", CandidateFragment.type),
            ] + links.map { (name: "Link", value: $0) })
    }

    /// A resource without a body.
    static func created(at path: String) -> HTTPReply {
        HTTPReply(201, nil, .data(Data()), [("Location", path)])
    }

    /// The ETag of a connection's ICE session, of which each connection has one.
    static func tag(of id: String) -> String { "\"\(id)\"" }

    static var done: HTTPReply { HTTPReply(204, nil, .data(Data())) }

    /// The answer to `OPTIONS`.
    ///
    /// - Parameter links: The STUN and TURN servers.
    static func options(links: [String]) -> HTTPReply {
        HTTPReply(
            204, nil, .data(Data()),
            [
                ("Allow", "GET, POST, PUT, PATCH, DELETE, OPTIONS"),
                ("Accept-Post", "application/sdp"),
            ] + links.map { (name: "Link", value: $0) })
    }

    /// The reply for a page of another origin, which may read it.
    func allowing(_ origin: String, isPreflight: Bool) -> HTTPReply {
        var reply = self
        reply.headers += AllowedOrigins.headers(for: origin, isPreflight: isPreflight)
        return reply
    }

    /// A refusal, with the reason for people.
    static func refused(_ status: Int, _ text: String) -> HTTPReply {
        HTTPReply(status, "text/plain; charset=utf-8", .data(Data("\(text)\n".utf8)))
    }

    /// Ends the connection with the reply.
    mutating func close() { headers.append(("Connection", "close")) }
}
