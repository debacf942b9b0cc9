/// Why a required sandbox is incomplete.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// The missing part, and the cure.
    package let description: String
    /// Which layers are on.
    package let report: SandboxReport
}
