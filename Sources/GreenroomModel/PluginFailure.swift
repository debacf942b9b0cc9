/// Why a life of a plugin is lost.
package struct PluginFailure: Equatable, Sendable {
    /// Causes that a new life does not cure, and all others.
    package enum Cause: Equatable, Sendable {
        case other
        /// It can't use its settings: a new life has the same ones.
        case badSettings
        /// The system has started no process or thread for it, and would not for the next life.
        case noProcess
    }

    /// The text of the step that failed.
    package var step: String?
    /// Why the host gave the life up.
    package var fault: String?
    /// The plugin's reason for giving up.
    package var plea: String?
    package var cause: Cause
    /// Whether an output has been live in any life.
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

    /// For the report.
    package var evidence: String { step ?? fault ?? plea ?? "failed" }
}
