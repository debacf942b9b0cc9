package import GreenroomSchema

/// Messages of DevTools in a stream of bytes: each ends with a zero.
package struct DevToolsStream: ~Copyable {
    /// The longest message, in bytes: more than an image of 4096x4096 pixels.
    package static let longestMessage = 96 << 20

    private var bytes: [UInt8] = []
    /// The place where the next message begins.
    private var start = 0
    /// Up to where no end was found.
    private var searched = 0

    package init() {}

    /// Appends bytes that were read.
    ///
    /// - Returns: false if a message exceeds ``longestMessage``.
    package mutating func append(_ new: UnsafeRawBufferPointer) -> Bool {
        if start > 0 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: new)
        return bytes.count <= Self.longestMessage
    }

    /// Takes the next message.
    ///
    /// - Returns: false if none is complete.
    package mutating func next(_ body: (Span<UInt8>) -> Void) -> Bool {
        let end = bytes.withUnsafeBufferPointer { bytes in
            bytes[searched...].firstIndex(of: 0)
        }
        guard let end else {
            searched = bytes.count
            return false
        }
        body(bytes.span.extracting(start..<end))
        start = end + 1
        searched = start
        return true
    }
}

/// A message from DevTools: the result of a call, or an event.
package struct DevToolsMessage: Sendable {
    /// The number of the call; nil for an event.
    package var call: Int?
    /// The name of an event.
    package var event: String?
    /// The result of a call, or the parameters of an event.
    package var content: JSONText
    /// The reason why a call failed.
    package var failure: String?

    /// Reads a message.
    ///
    /// - Returns: nil if it is none.
    package init?(_ bytes: Span<UInt8>) {
        guard let json = JSONText(bytes), case .object = json else { return nil }
        call = json.member("id", in: bytes)?.integer
        event = json.member("method", in: bytes)?.text(in: bytes)
        guard call != nil || event != nil else { return nil }
        content =
            json.member("result", in: bytes) ?? json.member("params", in: bytes) ?? .object([])
        failure = json.member("error", in: bytes).map {
            $0.member("message", in: bytes)?.text(in: bytes) ?? "no reason given"
        }
    }
}
