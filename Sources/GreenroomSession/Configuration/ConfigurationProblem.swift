import GreenroomMedia

/// An error in a configuration, or a warning about an unlikely value.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The path as in a session file, e.g. `camera.settings.pattern`; empty for the whole
    /// configuration.
    public var path: String
    /// The rule and the cure, in sentences.
    public var message: String
    /// Whether the key is invalid, not its value.
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

/// The error for an invalid configuration, with every problem.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// The problems, at least one.
    public var problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }

    /// A line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
