/// How to confine a plugin's own process.
public enum SandboxMode: String, CaseIterable, Sendable, Codable {
    /// With all layers that the kernel has. A plugin that is not bundled does not start if they can't keep
    /// it to its grants.
    case on
    /// With all layers that the kernel has, even if the plugin can then do what the host may.
    case partial
    /// With all layers; without one of them the session does not start.
    case require
    /// Without a sandbox.
    case off
}
