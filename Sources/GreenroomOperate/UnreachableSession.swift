/// Why a session can't be reached, with the cure.
package struct UnreachableSession: Error {
    /// What is wrong.
    package enum Reason: Sendable {
        /// No session has the name, or several do.
        case name
        /// Its socket can't be made or used, or it does not answer.
        case connection
    }

    /// What is wrong.
    package var reason: Reason
    /// In words, for users.
    package var message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}
