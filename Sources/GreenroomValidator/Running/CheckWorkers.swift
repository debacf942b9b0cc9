import Glibc
import Synchronization

/// The processes of running checks, to cancel together. [any]
///
/// A process is in the list from its start until just before it is reaped, so its id is valid while
/// listed.
final class CheckWorkers: Sendable {
    private struct State {
        var isCancelled = false
        /// The number of threads that run checks.
        var threads = 0
        var processes: Set<pid_t> = []
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Kills all processes with their groups, including later ones.
    ///
    /// - Returns: Whether checks were running.
    func cancel() -> Bool {
        state.withLock { state in
            state.isCancelled = true
            for process in state.processes { kill(-process, SIGKILL) }
            return state.threads > 0
        }
    }

    /// Runs a body, and counts the calling thread as a worker.
    func work(_ body: () -> Void) {
        state.withLock { $0.threads += 1 }
        body()
        state.withLock { $0.threads -= 1 }
    }

    /// Adds the leader of a process group.
    func add(_ process: pid_t) {
        state.withLock { state in
            state.processes.insert(process)
            if state.isCancelled { kill(-process, SIGKILL) }
        }
    }

    /// Removes a process that is about to be reaped.
    func remove(_ process: pid_t) { _ = state.withLock { $0.processes.remove(process) } }
}
