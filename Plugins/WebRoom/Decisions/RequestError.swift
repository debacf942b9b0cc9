/// The error of a refused request. The sender receives it as the answer.
package struct RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The HTTP status.
    package enum Code: Int, Sendable {
        case bad = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case notAcceptable = 406
        case conflict = 409
        case lengthRequired = 411
        case stale = 412
        case tooLarge = 413
        case otherType = 415
        case tooMany = 429
        case headTooLarge = 431
        case failed = 500
        case full = 503
        case otherVersion = 505
    }

    package var code: Code
    package var description: String

    package init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    package static func bad(_ fault: String) -> Self {
        Self(.bad, "The request is wrong: \(fault).")
    }

    /// The offer has no media that the room can receive or send.
    package static func unacceptable(_ fault: String) -> Self {
        Self(.notAcceptable, "Cannot answer the offer: \(fault).")
    }

    package static let tooLarge = Self(.tooLarge, "The request is too large.")
    package static let hasClosed = Self(.failed, "The room has closed.")
}
