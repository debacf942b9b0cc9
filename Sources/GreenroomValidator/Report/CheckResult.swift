/// The outcome of a check.
public enum Outcome: String, Codable, CaseIterable, Sendable {
    /// The plugin keeps the rule.
    case passed
    /// The plugin breaks the rule.
    case failed
    /// The plugin keeps the rule; the text has a hint for its author.
    case warning
    /// The rule does not apply to the plugin, or another check has found the cause. The text has
    /// the reason.
    case skipped
    /// The check could not decide whether the plugin keeps the rule, for example on a busy machine.
    /// The text has the reason.
    case notProven = "not-proven"
    /// The plugin's process crashed or exited.
    case crashed
    /// The check exceeded its time limit and was killed with all its processes.
    case timedOut = "timed-out"

    /// Whether the outcome is a fault of the plugin.
    public var isFault: Bool {
        switch self {
        case .passed, .warning, .skipped, .notProven: false
        case .failed, .crashed, .timedOut: true
        }
    }
}

/// A check and its outcome.
public struct CheckResult: Codable, Sendable {
    /// The check's id, e.g. `lifecycle.restart`.
    public var check: String
    /// The outcome.
    public var outcome: Outcome
    /// The finding in one line, with the fix for a failure.
    public var text: String
    /// Details for debugging.
    public var details: [String]
    /// The duration of the check, in seconds.
    public var seconds: Double
    /// The check that has found the fault that blocked this check; nil if none.
    public var blockedBy: String?

    /// Makes a result.
    public init(
        check: String, outcome: Outcome, text: String, details: [String] = [], seconds: Double = 0,
        blockedBy: String? = nil
    ) {
        self.blockedBy = blockedBy
        self.check = check
        self.outcome = outcome
        self.text = text
        self.details = details
        self.seconds = seconds
    }
}
