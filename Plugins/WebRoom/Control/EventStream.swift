import RoomDecisions

/// Events of the session as server-sent events, for one reader.
///
/// It waits for events, and for the reader's network: a reader that is too slow loses the oldest, and
/// is told how many.
struct EventStream: Sendable {
    /// A line without meaning is sent after such a time without events: a reader that has gone is
    /// noticed by it.
    private static let beat = Duration.seconds(10)

    private let reader: EventReader
    private var next: Int
    private var hasBegun = false

    /// - Parameter next: The first event to send; 0 for the oldest that there is.
    init(reader: EventReader, from next: Int) {
        (self.reader, self.next) = (reader, next)
    }

    /// The next text to send; nil at the end.
    mutating func text() async throws -> String? {
        guard hasBegun else {
            hasBegun = true
            return ": the session's events\n\n"
        }
        let seen = reader.control.changes.count
        guard let text = read() else { return nil }
        guard text.isEmpty else { return text }
        await reader.control.changes.wait(after: seen, atMost: Self.beat)
        try Task.checkCancellation()
        return read().map { $0.isEmpty ? ":\n\n" : $0 }
    }

    /// The new events as text; nil if the room has closed.
    private mutating func read() -> String? {
        guard let (lost, events, next) = reader.control.read(from: next) else { return nil }
        self.next = next
        return (lost > 0 ? EventLog.Event.lost(lost) : "") + events.map(\.serverSent).joined()
    }
}
