/// An error that prevents validation.
public struct ValidatorError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error. More may be added.
    public struct Code: Hashable, Sendable {
        private enum Kind { case library, options }
        private let kind: Kind

        /// The library cannot be validated.
        public static let badLibrary = Code(kind: .library)
        /// ``Validator/Options`` are wrong.
        public static let badOptions = Code(kind: .options)
    }

    /// The kind of the error.
    public var code: Code
    /// The place, the rule and the fix.
    public var description: String

    init(_ description: String, code: Code = .badLibrary) {
        self.code = code
        self.description = description
    }
}
