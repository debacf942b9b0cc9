/// How a plugin's own process is confined.
public enum SandboxMode: String, CaseIterable, Sendable, Codable {
    /// By every layer that the kernel has.
    case on
    /// By every layer; without one of them the session does not begin.
    case require
    /// Not at all.
    case off
}
