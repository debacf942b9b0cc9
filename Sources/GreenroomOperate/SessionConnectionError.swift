package import SystemPackage

/// The reason why a session can't be reached, with the fix.
package struct SessionConnectionError: Error, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// No session has the name, or several do.
        case name
        /// Its socket can't be made or used, or it does not answer.
        case connection
    }

    package var code: Code
    package var description: String
    package var underlyingError: Errno?

    init(_ code: Code, _ description: String) {
        (self.code, self.description) = (code, description)
    }

    /// A system call failed.
    init(_ subject: String, _ error: Errno) {
        self.init(.connection, "\(subject): \(error)")
        underlyingError = error
    }
}
