package import GreenroomModel

/// The reason why a plugin failed a step.
package enum FailureReason: Equatable, Sendable, CustomStringConvertible {
    /// The plugin's `set_error` text, or the broken rule.
    case given(String)
    /// The plugin refused the step and gave no reason.
    case missing(LifecycleStep)

    /// Whether the plugin gave no reason.
    package var isMissing: Bool { if case .missing = self { true } else { false } }

    /// The reason, as messages show it.
    package var description: String {
        switch self {
        case .given(let text): text
        case .missing(let step): "\(step.rawValue) returned it without a reason"
        }
    }
}
