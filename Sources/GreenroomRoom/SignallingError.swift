/// Why an offer or another request is not granted; its sender gets it as the answer.
package enum SignallingError: Error, Equatable {
    /// The request is wrong.
    case bad(String)
    /// Nothing of what is offered can be taken or sent.
    case unacceptable(String)
    case tooLarge
    /// The link does not allow it.
    case forbidden(String)
    case notFound(String)
    /// It does not fit what the connection is.
    case conflict(String)
    /// It is for an earlier state of the connection.
    case stale(String)
    /// The body has another type.
    case otherType(String)
    /// There is no room.
    case full(String)
    /// The room could not do it.
    case failed(String)

    package static let hasClosed = failed("The room has closed.")

    /// The status of HTTP.
    package var status: Int {
        switch self {
        case .bad: 400
        case .forbidden: 403
        case .notFound: 404
        case .unacceptable: 406
        case .conflict: 409
        case .stale: 412
        case .otherType: 415
        case .tooLarge: 413
        case .failed: 500
        case .full: 503
        }
    }

    package var text: String {
        switch self {
        case .bad(let text): "The request is wrong: \(text)."
        case .unacceptable(let text): "Cannot answer the offer: \(text)."
        case .tooLarge: "The request is too large."
        case .forbidden(let text), .notFound(let text), .conflict(let text), .stale(let text),
            .otherType(let text), .full(let text), .failed(let text):
            text
        }
    }
}
