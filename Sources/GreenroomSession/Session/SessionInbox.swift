import GreenroomMedia
import GreenroomDecisions
import GreenroomModel
import GreenroomRuntime

/// The events of a running session, for the session's thread.
///
/// The inbox stores commands and stop requests. Plugins, outputs, calls and the clock store
/// their changes in their own memory and post only a wake-up. Any number of wake-ups counts as
/// one.
final class SessionInbox: Sendable {
    private struct State {
        /// The requested end.
        var stop: SessionOutcome?
        /// The queued commands, in order.
        var commands: [(SessionCommand, String)] = []
        /// Whether a recording is incomplete.
        var hasFailedRecording = false
        /// The number of posts.
        var posts = 0
    }

    private let state = Monitor(State())

    // MARK: Posts. [any]

    /// Posts a wake-up.
    func post() { state.change { $0.posts += 1 } }

    /// Requests the end, unless an earlier request exists.
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
            guard state.commands.count < Limits.queuedCommands else { return false }
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

    /// The number of posts so far.
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
    ///   - seen: The value of ``posts`` before the session checked for changes.
    ///   - deadline: The end of the wait, on the clock; nil for no limit.
    func wait(after seen: Int, until deadline: Int64?, on clock: SessionClock) {
        let _: Void? = clock.wait(for: state, until: deadline) { $0.posts != seen ? () : nil }
    }

    /// Waits until something is posted, on the host clock. A virtual clock stands still meanwhile.
    func wait(after seen: Int, until deadline: Int64?, on clock: HostClock) {
        let _: Void? = state.wait(until: deadline, on: clock) { $0.posts != seen ? () : nil }
    }
}
