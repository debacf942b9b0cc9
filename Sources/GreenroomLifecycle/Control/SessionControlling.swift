package import GreenroomModel

/// The functions of a session for a plugin with the grant `control`.
package protocol SessionControlling: Sendable {
    /// Queues a command.
    ///
    /// - Parameter role: The plugin's.
    /// - Returns: Its number, which is in the events that say what became of it.
    /// - Throws: Why it is no command, or none that the session can execute.
    func perform(line: String, for role: String) throws(CommandError) -> UInt32

    /// The session's report as JSON; nil before its sources start.
    var descriptionText: String? { get }

    /// Its report, as JSON; nil before its sources were started.
    var reportText: String? { get }
}
