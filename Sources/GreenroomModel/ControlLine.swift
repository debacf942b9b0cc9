/// A line that controls a session, from standard input or from a plugin with the `control` grant.
///
/// Control lines use the words of the session file's timeline.
package enum ControlLine: Hashable, Sendable {
    /// A command.
    case command(SessionCommand)
    /// Let time pass on a clock that the control lines advance.
    case advance(Duration)
    /// End the session.
    case stop
    /// List the commands.
    case help
    /// An empty line, or a comment that begins with `#`.
    case nothing
}

extension ControlLine {
    /// The error for ``advance(_:)`` on a clock that advances by itself.
    package static let advanceRefusal =
        "only a line on standard input advances the time, of a session that runs with --by-hand."
}

/// Parses the lines that control a session. The module that defines the notation provides the
/// parser.
package struct ControlParser: Sendable {
    /// The longest line, in bytes.
    package static let maximumBytes = 4096

    /// Every command with an example value, and the command's meaning.
    package let commands: [(line: String, meaning: String)]
    /// Parses a line.
    package let read: @Sendable (String) throws(CommandError) -> ControlLine

    package init(
        commands: [(line: String, meaning: String)],
        read: @escaping @Sendable (String) throws(CommandError) -> ControlLine
    ) {
        self.commands = commands
        self.read = read
    }
}
