/// The reason why a life of a plugin is lost.
package struct PluginFailure: Equatable, Sendable, Codable {
    /// A cause that a new life does not cure, or any other cause.
    package enum Cause: String, Sendable, Codable {
        case other
        /// The plugin cannot use its settings. A new life has the same settings.
        case badSettings
        /// The plugin breaks a rule of the interface. A new life has the same code.
        case brokenRule
        /// The system started no process or thread for the plugin, and would not for the next life.
        case noProcess
    }

    /// The text of the failed step; nil if no step failed.
    package var step: String?
    /// The host's reason for abandoning the life.
    package var fault: String?
    /// The plugin's reported reason for failing.
    package var plea: String?
    package var cause: Cause
    /// Whether the output was live in any life.
    package var hasBeenLive: Bool

    package init(
        step: String? = nil, fault: String? = nil, plea: String? = nil, cause: Cause = .other,
        hasBeenLive: Bool = false
    ) {
        self.step = step
        self.fault = fault
        self.plea = plea
        self.cause = cause
        self.hasBeenLive = hasBeenLive
    }

    /// The cause, as the report shows it.
    package var evidence: String { step ?? fault ?? plea ?? "failed" }
}
