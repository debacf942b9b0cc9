package import GreenroomModel

/// Why a plugin has failed a step.
package enum FailureReason: Equatable, Sendable, CustomStringConvertible {
    /// The plugin's `set_error` text, or the broken rule.
    case given(String)
    /// It refused the step, and gave no reason.
    case missing(LifecycleStep)

    /// Whether the plugin gave none.
    package var isMissing: Bool { if case .missing = self { true } else { false } }

    /// The words in messages.
    package var description: String {
        switch self {
        case .given(let text): text
        case .missing(let step): "\(step.rawValue) returned it without a reason"
        }
    }
}
