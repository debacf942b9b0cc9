/// An incomplete sandbox that the policy requires.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// The missing part, and the fix.
    package let description: String
    /// The state of each layer.
    package let report: SandboxReport
}
