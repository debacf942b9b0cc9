/// A media server's reply to a WHIP or WHEP request.
package struct ServerReply: Equatable, Sendable {
    /// The HTTP status; 0 if there was no answer.
    package var status: Int
    /// The text of the answer: SDP or words.
    package var body = ""
    /// The media type of the text, in lower case.
    package var type = ""
    /// The URL for ending the connection; nil if the server sends none.
    package var location: String?
    /// The time until the next attempt, in seconds; 0 if the server sends none.
    package var retryAfter = 0
    /// The reason that there was no answer.
    package var problem = ""

    /// Describes a reply.
    package init(status: Int) { self.status = status }

    /// Whether another offer may be accepted: without layers of the video.
    package var refusesOffer: Bool { [400, 406, 415, 422].contains(status) }

    /// The answer to an offer.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the server: to publish or fetch.
    ///   - hasVideo: Whether a video was offered.
    ///   - name: The name of a fetched participant.
    /// - Returns: The answer, and what to log if one medium goes without the other; nil if both go.
    /// - Throws: ``ServerError`` with the fault, the rule and the fix.
    package func answer(
        for purpose: ServerPurpose, hasVideo: Bool, name: String
    ) throws(ServerError) -> (description: SDPDescription, warning: String?) {
        guard status == 201 else {
            throw ServerError(fault(of: purpose), retryAfter: retryAfter)
        }
        let answer: SDPDescription
        do throws(RequestError) {
            answer = try SDPDescription(body)
        } catch {
            throw ServerError("the answer is not usable. \(error)")
        }
        let goes = { (kind: String) in
            answer.media.contains {
                $0.kind == kind && $0.hasPort
                    && (purpose == .publish ? $0.direction.receives : $0.direction.sends)
            }
        }
        let (video, audio) = (goes("video") || purpose == .publish && !hasVideo, goes("audio"))
        let other =
            "If the server \(purpose == .publish ? "accepts" : "has") video, set server-codec to the other "
            + "one, vp8 or h264."
        switch (video, audio) {
        case (true, true): return (answer, nil)
        case (false, true):
            let rest =
                purpose == .publish ? "the session is sent as audio" : "\(name) has only audio"
            return (answer, "the answer has no video: \(rest). \(other)")
        case (true, false) where goes("video"):
            let rest = purpose == .publish ? "the session is sent as video" : "\(name) has no sound"
            return (answer, "the answer has no audio: \(rest). The room sends and receives Opus.")
        default:
            throw ServerError(
                "the answer has no video: the server does not "
                    + "\(purpose == .publish ? "accept" : "send") this codec. \(other)")
        }
    }

    private func fault(of purpose: ServerPurpose) -> String {
        let key = purpose.rawValue
        return switch status {
        case 0: "no answer: \(problem)."
        case 401: "unknown token (401). Check \(key)-token."
        case 403: "the token is not allowed (403). Check \(key)-token and \(key)."
        case 404: "not found (404). Check \(key)."
        case 405: "not an address of \(purpose.protocolName) (405). Check \(key)."
        case 406, 415, 422:
            "offer not accepted (\(status))\(words). Set server-codec to the other codec, vp8 or "
                + "h264."
        case 409: "endpoint busy (409)\(words)."
        case 429, 500...: "not available now (\(status))\(words)."
        default: "status \(status) instead of 201\(words). Check \(key)."
        }
    }

    /// The beginning of the server's message, in one line.
    private var words: String {
        guard type.hasPrefix("text/plain") || type.contains("json") else { return "" }
        let line = body.unicodeScalars.lazy.map {
            $0.properties.generalCategory == .control ? " " : Character($0)
        }
        let text = String(line.prefix(200))
        return text.allSatisfy(\.isWhitespace) ? "" : ": \(text)"
    }
}

/// The purpose of a media server for a room. Raw values are the names of settings.
package enum ServerPurpose: String, Sendable {
    /// The room sends the session to the server, by WHIP.
    case publish
    /// The room receives a participant from the server, by WHEP.
    case fetch

    var protocolName: String { self == .publish ? "WHIP" : "WHEP" }
    /// The participle for the names of values in the report.
    package var participle: String { self == .publish ? "published" : "fetched" }
}

/// The reason that there is no connection to a media server.
package struct ServerError: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
    /// The time until the next attempt that the server requests, in seconds; 0 if it requests none.
    package var retryAfter: Int

    package init(_ description: String, retryAfter: Int = 0) {
        (self.description, self.retryAfter) = (description, retryAfter)
    }
}

/// Computes the time until the next attempt to reach a media server.
package struct ServerBackoff: Sendable {
    /// The times between attempts, in seconds.
    private static let steps = [1, 2, 4, 8, 15, 30]

    private var failures = 0

    /// Creates a back-off without failures.
    package init() {}

    /// The time to wait after a failure, in seconds; at most five minutes.
    ///
    /// - Parameter wanted: The time that the server requests, in seconds.
    package mutating func next(wanted: Int) -> Int {
        defer { failures += 1 }
        return max(Self.steps[min(failures, Self.steps.count - 1)], min(max(wanted, 0), 300))
    }

    /// Resets the times after a successful connection.
    package mutating func reset() { failures = 0 }
}

/// The address of a media server, from a setting.
package struct ServerAddress: Equatable, Sendable {
    /// The complete address. The path may be a secret.
    package var url: String
    /// The part of the address that may be logged: `https://example.org`.
    package var origin: String
    /// The address of this machine to use, if the server is on this machine; nil if any.
    package var local: String?
    private let host: String

    /// Whether two addresses have the same host. Servers use a port for each protocol.
    package func isSameServer(as other: ServerAddress) -> Bool { host == other.host }

    /// - Parameter text: The text of a setting.
    /// - Returns: The address; nil if the text is not an HTTP or HTTPS URL.
    package init?(_ text: String) {
        guard
            let match = text.wholeMatch(
                of:
                    /(https?:\/\/)([^\/?#@\s]+@)?([A-Za-z0-9.\-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([\/?][!-~]*)?/
            )?.output,
            text.utf8.count <= 2000
        else { return nil }
        url = text
        host = match.3 == "localhost" || match.3 == "[::1]" ? "127.0.0.1" : match.3.lowercased()
        switch match.3 {
        case "localhost", "127.0.0.1": local = "127.0.0.1"
        case "[::1]": local = "::1"
        default: break
        }
        origin = "\(match.1)\(match.3)\(match.4 ?? "")"
    }
}
