import Foundation
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// The commands of operators and programs, within the rights that the session file grants.
final class RoomControl: Sendable {
    /// Streams of events at a time.
    static let mostReaders = 8
    /// The longest wait for the outcome of a command, in seconds.
    private static let longestOutcome = 2.0

    private struct State {
        var log = EventLog()
        var readers = 0
        var isLive = false
    }

    /// Nil without the grant `control`.
    let session: SessionControl?
    let stills: Stills
    private let host: PluginHost
    private let state = Mutex(State())
    /// Posts each event, and the opening and closing of the room.
    let changes = Signal()

    init(host: PluginHost) {
        self.host = host
        session = host.control
        stills = Stills(host: host)
    }

    /// Whether the room is open, and the session is not stopping.
    var isLive: Bool { state.withLock { $0.isLive } }

    /// The room opens or closes.
    func setLive(_ isLive: Bool) {
        state.withLock { $0.isLive = isLive }
        changes.post()
    }

    /// Takes an event of the session. [control]
    ///
    /// - Returns: Whether the session records; nil if the event does not concern recordings.
    func take(_ json: String) -> EventLog.Recording? {
        if let recording = EventLog.recording(after: json) { return recording }
        state.withLock { state in
            state.log.add(json)
            if json.contains(#""event":"stopping""#) { state.isLive = false }
        }
        changes.post()
        return nil
    }

    /// Passes a message on to the session's bots, if the room has the grant.
    func pass(on text: String, from author: String?) {
        do throws(SendRefusal) {
            try session?.command(MessageRelay.command(text, from: author))
        } catch {
            host.log(.debug, "a message reaches no bot: \(error.text)")
        }
    }

    // MARK: Commands

    /// The outcome of a command.
    enum Result {
        case outcome(CommandOutcome)
        /// The command is queued. Its effect comes later, or has a separate event.
        case queued
    }

    /// Sends a command, and waits for its outcome.
    func perform(_ command: String, of session: SessionControl) async throws -> Result {
        let next = state.withLock { $0.log.next }
        let number = try session.command(command)
        // No event names these.
        guard !["stop", "explain"].contains(command.trimmingCharacters(in: .whitespaces)) else {
            return .queued
        }
        let end = Date.now.addingTimeInterval(Self.longestOutcome)
        while Date.now < end, !Task.isCancelled {
            let seen = changes.count
            let events = state.withLock { $0.log.events(from: next) }.events
            for event in events {
                if let outcome = CommandOutcome(of: number, in: event.json) {
                    return .outcome(outcome)
                }
            }
            await changes.wait(after: seen, atMost: .seconds(end.timeIntervalSinceNow))
        }
        return .queued
    }

    // MARK: Events

    /// A stream of events.
    ///
    /// - Parameter number: The last event that the reader received; nil to send all stored events.
    func events(after number: Int?) throws(RequestError) -> EventStream {
        try state.withLock { state throws(RequestError) in
            guard state.readers < Self.mostReaders else {
                throw RequestError(
                    .full, "\(Self.mostReaders) streams of events are open already: close one.")
            }
            state.readers += 1
        }
        return EventStream(reader: EventReader(self), from: number.map { $0 &+ 1 } ?? 0)
    }

    /// The events from a number on, and the number of the next one; nil: the room has closed.
    ///
    /// - Parameter number: 0 for the oldest that there is.
    func read(from number: Int) -> (lost: Int, events: [EventLog.Event], next: Int)? {
        state.withLock { state in
            guard state.isLive || number < state.log.next else { return nil }
            guard number > 0 else {
                return (0, state.log.events(from: state.log.first).events, state.log.next)
            }
            let (lost, events) = state.log.events(from: number)
            return (lost, events, state.log.next)
        }
    }

    fileprivate func leave() { state.withLock { $0.readers -= 1 } }
}

/// The place of a reader of events; it is given back when the stream is gone.
final class EventReader: Sendable {
    let control: RoomControl

    fileprivate init(_ control: RoomControl) { self.control = control }

    deinit { control.leave() }
}
