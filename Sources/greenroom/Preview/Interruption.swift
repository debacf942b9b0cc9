import Glibc
import GreenroomSession
import Synchronization

/// Ctrl-C, while one session follows another.
final class Interruption: Sendable {
    private struct State {
        var running: Session?
        var hasHappened = false
    }

    private let state = Mutex(State())

    var hasHappened: Bool { state.withLock { $0.hasHappened } }

    /// Ends the session that runs; without one the process, whatever it waits for. [any]
    func happen() {
        let running = state.withLock { state in
            state.hasHappened = true
            return state.running
        }
        guard let running else { _exit(ExitStatus.interrupted.rawValue) }
        running.stop()
    }

    /// Has a session ended when it happens; nil when none runs.
    func watch(_ session: Session?) {
        let hasHappened = state.withLock { state in
            state.running = session
            return state.hasHappened
        }
        if hasHappened { session?.stop() }
    }
}
