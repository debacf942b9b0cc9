/// Why a frame could not be converted or copied.
public struct ConversionError: Error, Equatable, Sendable {
    /// The kind of failure. Later versions may add kinds.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// Compressed data does not decode, or not to its declared size.
        public static let badData = Code(name: "bad data")
        /// No conversion to the wanted format exists.
        public static let unsupported = Code(name: "unsupported")
        /// The size differs from the wanted one, and the fit policy is `reject`.
        public static let rejected = Code(name: "rejected")
        /// The pool has no free frame.
        public static let noBuffer = Code(name: "no buffer")
        /// A size, stride or length contradicts the format.
        public static let badGeometry = Code(name: "bad geometry")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem and the cure.
    public let message: String
}

extension ConversionError {
    static func badData(_ message: String) -> Self { Self(code: .badData, message: message) }
    static func unsupported(_ message: String) -> Self {
        Self(code: .unsupported, message: message)
    }
    static func rejected(_ message: String) -> Self { Self(code: .rejected, message: message) }
    static func noBuffer(_ message: String) -> Self { Self(code: .noBuffer, message: message) }
    static func badGeometry(_ message: String) -> Self {
        Self(code: .badGeometry, message: message)
    }
}

extension ConversionError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
