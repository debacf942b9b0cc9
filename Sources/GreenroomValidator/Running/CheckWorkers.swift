import Glibc
import Synchronization

/// The processes of the checks that are being made, to be ended together. [any]
///
/// A process is among them from its start until just before it is reaped: its number is its own.
final class CheckWorkers: Sendable {
    private struct State {
        var isCancelled = false
        /// How many threads have checks made.
        var threads = 0
        var processes: Set<pid_t> = []
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends all that there are, with their groups, and each that begins later.
    ///
    /// - Returns: Whether checks were being made.
    func cancel() -> Bool {
        state.withLock { state in
            state.isCancelled = true
            for process in state.processes { kill(-process, SIGKILL) }
            return state.threads > 0
        }
    }

    /// Tells of a thread that has checks made, and does so.
    func work(_ body: () -> Void) {
        state.withLock { $0.threads += 1 }
        body()
        state.withLock { $0.threads -= 1 }
    }

    /// Takes in the leader of a group.
    func add(_ process: pid_t) {
        state.withLock { state in
            state.processes.insert(process)
            if state.isCancelled { kill(-process, SIGKILL) }
        }
    }

    /// Leaves one alone, which is about to be reaped.
    func remove(_ process: pid_t) { _ = state.withLock { $0.processes.remove(process) } }
}
