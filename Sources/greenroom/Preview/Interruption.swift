import Glibc
import GreenroomSession
import Synchronization

/// Ctrl-C during a series of sessions.
final class Interruption: Sendable {
    private struct State {
        var running: Session?
        var hasHappened = false
    }

    private let state = Mutex(State())

    var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Ends the running session, or the process if no session runs. [any]
    func happen() {
        let running = state.withLock { state in
            state.hasHappened = true
            return state.running
        }
        guard let running else { _exit(ExitStatus.interrupted.rawValue) }
        running.stop()
    }

    /// Sets the session to end; nil if none runs.
    func watch(_ session: Session?) {
        let hasHappened = state.withLock { state in
            state.running = session
            return state.hasHappened
        }
        if hasHappened { session?.stop() }
    }
}
