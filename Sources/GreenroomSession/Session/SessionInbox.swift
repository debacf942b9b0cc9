import GreenroomModel
import GreenroomRuntime

/// The events of a running session, for the thread that decides.
///
/// Commands and the request to stop are kept. Plugins, outputs, calls and the clock only say that something has
/// changed, in memory of their own: any number of such posts is one.
final class SessionInbox: Sendable {
    /// Commands beyond that are refused.
    private static let commandLimit = 1000

    private struct State {
        /// The requested end.
        var stop: SessionOutcome?
        /// In order.
        var commands: [(SessionCommand, String)] = []
        /// Whether a recording is incomplete.
        var hasFailedRecording = false
        /// How often something was posted.
        var posts = 0
    }

    private let state = Monitor(State())

    // MARK: Posts. [any]

    /// Says that something has changed.
    func post() { state.change { $0.posts += 1 } }

    /// Requests the end, unless that was done before.
    func requestStop(_ outcome: SessionOutcome) {
        state.change { state in
            state.stop = state.stop ?? outcome
            state.posts += 1
        }
    }

    /// Notes that a recording is incomplete.
    func noteFailedRecording() { state.withLock { $0.hasFailedRecording = true } }

    /// Queues a command.
    ///
    /// - Parameter origin: The sender, in a few words.
    /// - Returns: Whether there was room.
    func add(_ command: SessionCommand, origin: String) -> Bool {
        state.change { state in
            guard state.commands.count < Self.commandLimit else { return false }
            state.commands.append((command, origin))
            state.posts += 1
            return true
        }
    }

    // MARK: The session's thread

    /// The requested end; nil without a request. [any]
    var stopRequest: SessionOutcome? { state.withLock { $0.stop } }

    /// Whether a recording is incomplete.
    var hasFailedRecording: Bool { state.withLock { $0.hasFailedRecording } }

    /// How often something was posted.
    var posts: Int { state.withLock { $0.posts } }

    /// Removes and returns the queued commands.
    func takeCommands() -> [(SessionCommand, String)] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Waits until something is posted.
    ///
    /// - Parameters:
    ///   - seen: ``posts`` before the session looked at what has changed.
    ///   - deadline: On the clock; nil for never.
    func wait(after seen: Int, until deadline: Int64?, on clock: SessionClock) {
        let _: Void? = clock.wait(for: state, until: deadline) { $0.posts != seen ? () : nil }
    }

    /// The same on the host clock: a virtual clock stands still meanwhile.
    func wait(after seen: Int, until deadline: Int64?, on clock: HostClock) {
        let _: Void? = state.wait(until: deadline, on: clock) { $0.posts != seen ? () : nil }
    }
}
