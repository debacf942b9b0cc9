internal import FoundationEssentials

/// The newest events of a session, numbered from 1, for readers that come, go and read at their own
/// pace: one that is too slow loses the oldest.
package struct EventLog: Sendable {
    /// An event.
    package struct Event: Equatable, Sendable {
        package var number: Int
        /// On one line.
        package var json: String
    }

    private let mostEvents: Int
    private let mostBytes: Int
    private var events: [Event] = []
    private var bytes = 0
    /// The number of the next event.
    package private(set) var next = 1
    /// The number of the oldest event that there is.
    package var first: Int { events.first?.number ?? next }

    package init(mostEvents: Int = 256, mostBytes: Int = 512 * 1024) {
        self.mostEvents = mostEvents
        self.mostBytes = mostBytes
    }

    /// Adds an event; the oldest ones go, if there are too many.
    package mutating func add(_ json: String) {
        events.append(Event(number: next, json: json))
        bytes += json.utf8.count
        next += 1
        while events.count > mostEvents || bytes > mostBytes, events.count > 1 {
            bytes -= events.removeFirst().json.utf8.count
        }
    }

    /// The events from a number on, and how many of them have gone.
    ///
    /// A number from before this room's start, or after its newest event, is that of the next one.
    package func events(from number: Int) -> (lost: Int, events: [Event]) {
        guard number >= 1, number < next else { return (0, []) }
        return (max(0, first - number), Array(events.drop { $0.number < number }))
    }
}

extension EventLog.Event {
    /// As a server-sent event.
    package var serverSent: String { "id: \(number)\ndata: \(json)\n\n" }

    /// The server-sent event that says how many have gone.
    package static func lost(_ count: Int) -> String {
        "event: lost\ndata: {\"lost\":\(count)}\n\n"
    }
}

/// The outcome of a command, as an event reports it.
package struct CommandOutcome: Equatable, Sendable {
    /// Whether it has begun; else the session can't execute it.
    package var isDone: Bool
    /// The effect, or the reason that there is none.
    package var text: String

    /// The events that answer a command.
    private enum Kind: String {
        case commanded
        case note
    }

    private struct Event: Decodable {
        var event: String
        var origin: String?
        var role: String?
        var text: String?
    }

    /// - Parameters:
    ///   - number: The command's.
    ///   - json: An event.
    /// - Returns: nil for an event of something else.
    package init?(of number: Int, in json: String) {
        let origin = "command \(number) of "
        guard json.contains(origin),
            let event = try? JSONDecoder().decode(Event.self, from: Data(json.utf8))
        else { return nil }
        switch Kind(rawValue: event.event) {
        case .commanded where event.origin?.hasPrefix(origin) == true: isDone = true
        case .note where event.role?.hasPrefix(origin) == true: isDone = false
        default: return nil
        }
        text = event.text ?? ""
    }
}
