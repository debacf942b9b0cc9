/// The serial thread of one instance's control callbacks.
///
/// A hanging callback keeps this thread; the rest of the session continues.
package final class ControlThread: Sendable {
    private struct State {
        /// No capacity limit: a session queues one step after another.
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state: Monitor<State>
    private let thread: HostThread

    /// The reason why the system did not start the thread, with the fix; nil if the thread runs.
    package var problem: String? { thread.problem }

    /// - Parameters:
    /// - clock: The session's clock. A virtual clock stands still while a job runs.
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

    /// Queues a job.
    package func run(_ job: @escaping @Sendable () -> Void) {
        state.change { $0.jobs.append(job) }
    }

    /// Ends the thread after the queued jobs.
    package func close() {
        state.change { $0.isClosed = true }
    }
}
