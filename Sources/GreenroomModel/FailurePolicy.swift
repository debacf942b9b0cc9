/// The reaction of the session to a failed plugin.
public enum FailurePolicy: String, CaseIterable, Sendable, Codable {
    /// Restart the plugin in a new process.
    case restart
    /// Continue without the plugin.
    case off
    /// End the session.
    case end
}
