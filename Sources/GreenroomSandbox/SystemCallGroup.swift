/// System calls that a plugin may make, and why.
package struct SystemCallGroup: Sendable {
    /// What they are for.
    package var name: String
    /// Why a plugin has them, for calls that one would not expect or not expect so.
    package var reason: String?
    /// The calls.
    package var calls: [SystemCall]
}
