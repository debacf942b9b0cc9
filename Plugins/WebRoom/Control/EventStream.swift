import RoomDecisions

/// Events of the session as server-sent events, for one reader.
///
/// It waits for events, and for the reader's network: a reader that is too slow loses the oldest, and
/// is told how many.
struct EventStream: Sendable {
    /// A line without meaning is sent after so many waits: one that has gone is noticed by it.
    private static let waitsBetweenBeats = 100

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
        for _ in 0..<Self.waitsBetweenBeats {
            guard let (lost, events, next) = reader.control.read(from: next) else { return nil }
            self.next = next
            let text =
                (lost > 0 ? EventLog.Event.lost(lost) : "") + events.map(\.serverSent).joined()
            if !text.isEmpty { return text }
            try await Task.sleep(for: .milliseconds(100))
        }
        return ":\n\n"
    }
}
