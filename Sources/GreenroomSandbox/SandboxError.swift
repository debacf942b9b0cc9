/// Why a required sandbox is incomplete.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// What is missing, and what to do.
    package let description: String
    /// Which layers are on.
    package let report: SandboxReport
}
