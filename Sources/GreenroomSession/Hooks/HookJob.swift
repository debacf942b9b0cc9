/// The checked action of a hook.
package enum HookJob: Sendable {
    /// A program and its arguments.
    case command([String])
    /// A request, and the key that signs it.
    case post(url: String, key: [UInt8])
}
