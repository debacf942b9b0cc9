/// System calls that a plugin may make, with the reason.
package struct SystemCallGroup: Sendable {
    /// Their purpose.
    package var name: String
    /// Why a plugin needs them, if it is not obvious.
    package var reason: String?
    package var calls: [SystemCall]
}
