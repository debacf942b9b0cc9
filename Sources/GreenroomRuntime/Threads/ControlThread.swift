/// The serial thread on which one instance's control callbacks run.
///
/// When a callback hangs the thread is left behind with it, and everything else goes on.
package final class ControlThread: Sendable {
    private struct State {
        /// Unbounded by type, bounded by use: a session queues one step after another.
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state: Monitor<State>
    private let thread: HostThread

    /// - Parameters:
    ///   - clock: Stands still while a job is running.
    ///   - order: The plugin that the jobs call.
    package init(name: String, clock: SessionClock, as order: ClockOrder) {
        let state = Monitor(State())
        self.state = state
        thread = HostThread(name: name, clock: clock, as: order) {
            while true {
                let job: (@Sendable () -> Void)?? = clock.wait(for: state, until: nil) { state in
                    if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
                    return state.isClosed ? .some(nil) : nil
                }
                guard case .some(.some(let job)) = job else { return }
                job()
            }
        }
    }

    /// Queues a job behind those that are there.
    package func run(_ job: @escaping @Sendable () -> Void) {
        state.change { $0.jobs.append(job) }
    }

    /// Lets the thread end after the jobs that are queued.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
