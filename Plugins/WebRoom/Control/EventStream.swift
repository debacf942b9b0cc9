import FlyingSocks
import Foundation
import GreenroomRoom

/// Events of the session as server-sent events, for one reader.
///
/// It waits for events, and for the reader's network: a reader that is too slow loses the oldest, and
/// is told how many.
struct EventStream: AsyncBufferedSequence {
    typealias Element = UInt8

    let reader: EventReader
    /// The first event to send; 0 for the oldest that there is.
    let from: Int

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader, next: from) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        /// A line without meaning is sent after so many waits: one that has gone is noticed by it.
        private static let waitsBetweenBeats = 100

        let reader: EventReader
        var next: Int
        private var hasBegun = false

        init(reader: EventReader, next: Int) {
            self.reader = reader
            self.next = next
        }

        mutating func next() async throws -> UInt8? {
            // FlyingFox asks for whole buffers.
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard hasBegun else {
                hasBegun = true
                return Array(": the session's events\n\n".utf8)
            }
            for _ in 0..<Self.waitsBetweenBeats {
                guard let (lost, events, next) = reader.control.read(from: next) else { return nil }
                self.next = next
                let text =
                    (lost > 0 ? EventLog.Event.lost(lost) : "")
                    + events.map(\.serverSent).joined()
                if !text.isEmpty { return Array(text.utf8) }
                try await Task.sleep(for: .milliseconds(100))
            }
            return Array(":\n\n".utf8)
        }
    }
}
