/// Why there is no sandbox where one is required.
package struct SandboxError: Error, Sendable, CustomStringConvertible {
    /// What is missing, and what to do.
    package let description: String
    /// What there is.
    package let report: SandboxReport
}
