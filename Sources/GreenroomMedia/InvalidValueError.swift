/// A value that a user or a plugin wrote and that breaks a rule.
package struct InvalidValueError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rule and the fix; the name of the value is the caller's.
    package var description: String

    package init(_ description: String) { self.description = description }
}
