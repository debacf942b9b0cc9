import FlyingFox
import Foundation

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
    static func created(_ sdp: String, at location: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: .created,
            headers: headers([.contentType: "application/sdp", .location: location]),
            body: Data(sdp.utf8))
    }

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
        case 413: "Payload Too Large"
        case 415: "Unsupported Media Type"
        case 429: "Too Many Requests"
        case 503: "Service Unavailable"
        default: "Internal Server Error"
        }
    }
}
