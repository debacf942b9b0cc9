/// How to confine a plugin's own process.
public enum SandboxMode: String, CaseIterable, Sendable, Codable {
    /// With all layers that the kernel has.
    case on
    /// With all layers; without one of them the session does not start.
    case require
    /// Without a sandbox.
    case off
}
