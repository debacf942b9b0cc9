/// System calls that a plugin may make, with the reason.
package struct SystemCallGroup: Sendable {
    /// The purpose of the calls.
    package var name: String
    /// The reason that a plugin needs the calls; nil if obvious.
    package var reason: String?
    package var calls: [SystemCall]
}
