import CCurl
import Dispatch
import Glibc
import RoomDecisions

/// A request to a media server.
struct ServerRequest: Sendable {
    var method: String
    var url: String
    /// Nil for none.
    var token: String?
    /// An offer; nil for a request without a body.
    var offer: String?
    var milliseconds = 20_000

    /// Sends it, and waits for the reply on a thread that may wait.
    func send() async -> ServerReply {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: reply()) }
        }
    }

    /// The same, on this thread.
    func reply() -> ServerReply {
        let texts = [method, url, token, offer == nil ? nil : "application/sdp", offer].map {
            $0.map { strdup($0) }
        }
        defer { for text in texts { free(text ?? nil) } }
        var answer = greenroom_http_answer()
        guard case let method?? = texts[0], case let url?? = texts[1] else {
            return ServerReply(status: 0)
        }
        var request = greenroom_http_request(
            method: method, url: url, token: texts[2] ?? nil, type: texts[3] ?? nil,
            body: texts[4] ?? nil, milliseconds: milliseconds)
        greenroom_http(&request, &answer)
        defer { greenroom_http_free(&answer) }
        var reply = ServerReply(status: answer.status)
        reply.body = answer.body.map { String(cString: $0) } ?? ""
        reply.type = answer.type.map { String(cString: $0).lowercased() } ?? ""
        reply.location = answer.location.map { String(cString: $0) }
        reply.retryAfter = answer.retry_after
        reply.problem = withUnsafeBytes(of: answer.problem) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        return reply
    }
}
