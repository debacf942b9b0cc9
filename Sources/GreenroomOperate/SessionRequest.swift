/// The requests of a client of a session's socket, besides commands. Raw values are its lines.
package enum SessionRequest: String, CaseIterable, Sendable {
    /// From now on all events.
    case events
    /// The newest events.
    case log
    /// The session's state so far, in words.
    case status
    /// The plugins and their live settings.
    case describe
    /// The report so far.
    case report
}
