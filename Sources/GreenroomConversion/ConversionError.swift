/// The error for a frame that could not be converted or copied.
public struct ConversionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure. Later versions may add kinds.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// Compressed data does not decode, or decodes to a size other than declared.
        public static let badData = Code(name: "bad data")
        /// No conversion to the wanted format exists.
        public static let unsupported = Code(name: "unsupported")
        /// The size differs from the wanted size, and the fit policy is `reject`.
        public static let rejected = Code(name: "rejected")
        /// The pool has no free frame.
        public static let noBuffer = Code(name: "no buffer")
        /// A size, stride or length contradicts the format.
        public static let badGeometry = Code(name: "bad geometry")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem and the fix.
    public let description: String
}

extension ConversionError {
    static func badData(_ message: String) -> Self { Self(code: .badData, description: message) }
    static func unsupported(_ message: String) -> Self {
        Self(code: .unsupported, description: message)
    }
    static func rejected(_ message: String) -> Self { Self(code: .rejected, description: message) }
    package static func noBuffer(_ message: String) -> Self {
        Self(code: .noBuffer, description: message)
    }
    static func badGeometry(_ message: String) -> Self {
        Self(code: .badGeometry, description: message)
    }
}
