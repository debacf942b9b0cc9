/// What happens to the session when one of its plugins fails.
public enum FailurePolicy: String, CaseIterable, Sendable, Codable {
    /// The plugin is started again, in a new process.
    case restart
    /// The session goes on without the plugin.
    case off
    /// The session ends.
    case end
}
