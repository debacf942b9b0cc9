import FlyingFox
import Foundation
import GreenroomRoom

/// Responses, with the headers that each has.
enum Reply {
    /// What a page of the room may do: nothing but what the room itself serves.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; "
        + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    private static func headers(_ more: [HTTPHeader: String]) -> HTTPHeaders {
        var headers: [HTTPHeader: String] = [
            HTTPHeader("Content-Security-Policy"): policy,
            HTTPHeader("Referrer-Policy"): "no-referrer",
            HTTPHeader("X-Content-Type-Options"): "nosniff",
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
            HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
            HTTPHeader("Permissions-Policy"):
                "camera=(self), microphone=(self), display-capture=(self), fullscreen=(self)",
            .cacheControl: "no-store",
        ]
        for (header, value) in more { headers[header] = value }
        return HTTPHeaders(headers)
    }

    static func file(_ bytes: [UInt8], _ type: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: headers([.contentType: "\(type); charset=utf-8"]),
            body: Data(bytes))
    }

    static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var more: [HTTPHeader: String] = [.contentType: "application/json"]
        if status == 401 { more[HTTPHeader("WWW-Authenticate")] = "Bearer" }
        return HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: phrase(of: status)), headers: headers(more),
            body: try encoder.encode(value))
    }

    static func data(_ data: Data, _ type: String) -> HTTPResponse {
        HTTPResponse(statusCode: .ok, headers: headers([.contentType: type]), body: data)
    }

    /// A stream of events, until the room closes or the reader goes.
    static func events(_ events: EventStream) -> HTTPResponse {
        HTTPResponse(
            statusCode: .ok, headers: headers([.contentType: "text/event-stream"]),
            body: HTTPBodySequence(from: events))
    }

    /// An answer to an offer.
    ///
    /// - Parameters:
    ///   - kind: The folder of the connection.
    ///   - id: The connection's.
    static func created(_ sdp: String, in kind: String, _ id: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: .created,
            headers: headers([
                .contentType: "application/sdp", .location: "/\(kind)/\(id)", .eTag: tag(of: id),
                HTTPHeader("Accept-Patch"): CandidateFragment.type,
            ]),
            body: Data(sdp.utf8))
    }

    /// The ETag of the ICE session of a connection: it has one alone.
    static func tag(of id: String) -> String { "\"\(id)\"" }

    static var done: HTTPResponse {
        HTTPResponse(statusCode: .noContent, headers: headers([:]))
    }

    /// A refusal, with the reason for people.
    static func refused(_ status: Int, _ text: String) -> HTTPResponse {
        var more: [HTTPHeader: String] = [.contentType: "text/plain; charset=utf-8"]
        if status == 401 { more[HTTPHeader("WWW-Authenticate")] = "Bearer" }
        return HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: phrase(of: status)),
            headers: headers(more), body: Data("\(text)\n".utf8))
    }

    private static func phrase(of status: Int) -> String {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Payload Too Large"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Internal Server Error"
        }
    }
}
