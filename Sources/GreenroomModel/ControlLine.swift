/// A line that controls a session: of standard input, or of a plugin that may do so.
///
/// It uses the words of the session file's timeline.
package enum ControlLine: Hashable, Sendable {
    /// A command.
    case command(SessionCommand)
    /// End the session.
    case stop
    /// List the commands.
    case help
    /// An empty line, or a comment that begins with `#`.
    case nothing
}

/// Reads the lines that control a session. The module that knows the notation has the parser.
package struct ControlParser: Sendable {
    /// The longest line, in bytes.
    package static let maximumBytes = 4096

    /// Every command with a value as an example, and its meaning.
    package let commands: [(line: String, meaning: String)]
    /// Reads a line.
    package let read: @Sendable (String) throws(CommandError) -> ControlLine

    package init(
        commands: [(line: String, meaning: String)],
        read: @escaping @Sendable (String) throws(CommandError) -> ControlLine
    ) {
        self.commands = commands
        self.read = read
    }
}
