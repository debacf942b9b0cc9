import GreenroomMedia
import GreenroomModel

/// Why a command is invalid: the rule and the cure, in sentences.
public struct CommandProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule and the cure.
    public var message: String

    /// Makes a problem; replaces control characters in the message.
    public init(_ message: String) { self.message = message.printable }

    /// The message.
    public var description: String { message }
}

extension SessionCommand {
    /// That a session without the plugin can't do it: "the session has no share to pause".
    package var withoutPlugin: String {
        let purpose =
            switch self {
            case .ceiling: "limit"
            case .stop(let role): role.facts.stopping.map { String($0.stop.firstWord) }
            case .start(let role): role.facts.stopping.map { String($0.start.firstWord) }
            case .set: "change"
            case .explain: nil as String?
            }
        return "the session has no \(target.map { "\($0)" } ?? "plugin") to \(purpose ?? "explain")"
    }
}

extension String {
    fileprivate var firstWord: Substring { prefix { $0 != " " } }
}
