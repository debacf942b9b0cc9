/// What came of a check.
public enum Outcome: String, Codable, CaseIterable, Sendable {
    /// The plugin keeps the rule.
    case passed
    /// The plugin breaks the rule.
    case failed
    /// The plugin keeps the rule, and its author should know of something.
    case warning
    /// Nothing in the plugin is under the rule, or it can't be looked at; the text says why.
    case skipped
    /// The plugin's process crashed or ended itself.
    case crashed
    /// The check did not end in time, and was ended with all its processes.
    case timedOut = "timed-out"

    /// Whether it is a fault of the plugin.
    public var isFault: Bool {
        switch self {
        case .passed, .warning, .skipped: false
        case .failed, .crashed, .timedOut: true
        }
    }
}

/// A check and what came of it.
public struct CheckResult: Codable, Sendable {
    /// The check's id, e.g. `lifecycle.restart`.
    public var check: String
    /// What came of it.
    public var outcome: Outcome
    /// One line: what was found, and for a failure the cure.
    public var text: String
    /// More lines, for whoever looks for the fault.
    public var details: [String]
    /// How long it took.
    public var seconds: Double

    /// Makes a result.
    public init(
        check: String, outcome: Outcome, text: String, details: [String] = [], seconds: Double = 0
    ) {
        self.check = check
        self.outcome = outcome
        self.text = text
        self.details = details
        self.seconds = seconds
    }
}
