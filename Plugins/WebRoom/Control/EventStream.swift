import RoomDecisions

/// Events of the session as server-sent events, for one reader.
///
/// It waits for events, and for the reader's network: a reader that is too slow loses the oldest, and
/// is told how many.
struct EventStream: Sendable {
    /// A line without meaning is sent after this time: a reader that has gone is noticed by it.
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
        let text = try read()
        guard text?.isEmpty ?? false else { return text }
        await reader.control.change(from: next, atMost: Self.beat)
        try Task.checkCancellation()
        return try read().map { $0.isEmpty ? ":\n\n" : $0 }
    }

    /// The events that have come; nil at the end.
    private mutating func read() throws -> String? {
        guard let (lost, events, next) = reader.control.read(from: next) else { return nil }
        self.next = next
        return (lost > 0 ? EventLog.Event.lost(lost) : "") + events.map(\.serverSent).joined()
    }
}
