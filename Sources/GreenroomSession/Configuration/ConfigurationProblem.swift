import GreenroomSchema

/// Something in a configuration that can't be run, or can't be meant.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The keys that lead to it, as in a session file: `camera.settings.pattern`; empty for the
    /// configuration as a whole.
    public var path: String
    /// The rule and the cure, in sentences for people.
    public var message: String
    /// Whether the key itself is at fault, not its value.
    package var isOfKey = false

    package init(_ message: String, at path: String, isOfKey: Bool = false) {
        self.path = path
        self.message = message
        self.isOfKey = isOfKey
    }

    /// The path, then the message.
    public var description: String {
        (path.isEmpty ? message : "\(path): \(message)").printable
    }
}

/// Why a configuration can't be run: every problem at once.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The problems, at least one.
    public var problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }

    /// A line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
