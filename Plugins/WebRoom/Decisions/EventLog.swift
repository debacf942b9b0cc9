internal import FoundationEssentials

/// The newest events of a session, numbered from 1. Readers read at their own pace; a slow reader
/// loses the oldest events.
package struct EventLog: Sendable {
    /// An event.
    package struct Event: Equatable, Sendable {
        package var number: Int
        /// The event's JSON, in one line.
        package var json: String
    }

    private let mostEvents: Int
    private let mostBytes: Int
    private var events: [Event] = []
    private var bytes = 0
    /// The number of the next event.
    package private(set) var next = 1
    /// The number of the oldest kept event.
    package var first: Int { events.first?.number ?? next }

    package init(mostEvents: Int = 256, mostBytes: Int = 512 * 1024) {
        self.mostEvents = mostEvents
        self.mostBytes = mostBytes
    }

    /// Adds an event. Drops the oldest events above the limit.
    package mutating func add(_ json: String) {
        events.append(Event(number: next, json: json))
        bytes += json.utf8.count
        next += 1
        while events.count > mostEvents || bytes > mostBytes, events.count > 1 {
            bytes -= events.removeFirst().json.utf8.count
        }
    }

    /// Whether the session records.
    package enum Recording: String, Sendable {
        case on = "recording-started"
        case paused = "recording-paused"
        case off = "recording-stopped"
    }

    /// Whether the session records after an event; nil if the event does not concern recordings.
    package static func recording(after json: String) -> Recording? {
        struct Event: Decodable { var event: String }
        // Most events are others, and long.
        guard json.contains(#""recording-"#),
            let event = try? JSONDecoder().decode(Event.self, from: Data(json.utf8))
        else { return nil }
        return Recording(rawValue: event.event)
    }

    /// The message of an event; nil if the event is none, or the room itself has passed it on.
    package static func message(in json: String) -> (author: String?, text: String)? {
        struct Event: Decodable {
            var event: String
            var origin: String?
            var author: String?
            var text: String
        }
        guard json.contains(#""event":"message""#),
            let event = try? JSONDecoder().decode(Event.self, from: Data(json.utf8)),
            event.event == "message", event.origin?.hasSuffix(" of call") != true
        else { return nil }
        return (event.author, event.text)
    }

    /// The events from a number on, and the number of those already dropped.
    ///
    /// A number from before this room's start, or above the newest event's, counts as the number of
    /// the next event.
    package func events(from number: Int) -> (lost: Int, events: [Event]) {
        guard number >= 1, number < next else { return (0, []) }
        return (max(0, first - number), Array(events.drop { $0.number < number }))
    }
}

extension EventLog.Event {
    /// The event as a server-sent event.
    package var serverSent: String { "id: \(number)\ndata: \(json)\n\n" }

    /// The server-sent event that reports the number of dropped events.
    package static func lost(_ count: Int) -> String {
        "event: lost\ndata: {\"lost\":\(count)}\n\n"
    }
}

/// The outcome of a command, as an event reports it.
package struct CommandOutcome: Equatable, Sendable {
    /// Whether the command has begun; false if the session cannot execute it.
    package var isDone: Bool
    /// The effect, or the reason that the command has none.
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
    ///   - number: The number of the command.
    ///   - json: The JSON of an event.
    /// - Returns: The outcome; nil if the event does not answer the command.
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
