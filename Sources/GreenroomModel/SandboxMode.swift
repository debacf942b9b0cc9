/// The confinement of a plugin's own process.
public enum SandboxMode: String, CaseIterable, Sendable, Codable {
    /// All layers that the kernel supports. A plugin that is not bundled does not start if the
    /// layers cannot enforce its grants.
    case on
    /// All layers that the kernel supports, even if the plugin then has the host's access.
    case partial
    /// All layers. The session does not start if a layer is missing.
    case require
    /// No sandbox.
    case off
}
