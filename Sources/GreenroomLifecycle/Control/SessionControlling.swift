package import GreenroomModel

/// The functions of a session for a plugin with the grant `control`.
package protocol SessionControlling: Sendable {
    /// Queues a command.
    ///
    /// - Parameter role: The plugin's role.
    /// - Returns: The command's number. Events about the command's result contain the number.
    /// - Throws: `CommandError` if the line is not a command, or the session cannot execute the
    ///   command.
    func perform(line: String, for role: String) throws(CommandError) -> UInt32

    /// The session's report as JSON; nil before its sources start.
    var descriptionText: String? { get }

    /// The session's report as JSON; nil before the session's sources are started.
    var reportText: String? { get }
}
