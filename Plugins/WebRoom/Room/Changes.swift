import Synchronization

/// Wakes tasks that wait for a change.
final class Changes: Sendable {
    private struct Waiter {
        var continuation: CheckedContinuation<Void, Never>
        var timer: Task<Void, Never>
    }

    private struct State {
        var waiters: [Int: Waiter] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// Wakes all tasks that wait. [any]
    func announce() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { Self.wake(waiter) }
    }

    /// Waits for the next change, for the end of the task, or for the time.
    ///
    /// - Parameter isDue: Whether the change has come already. Asked once.
    func wait(atMost time: Duration, unless isDue: @Sendable () -> Bool) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let timer = Task { [weak self] in
                    // A canceled sleep ends early; the waiter has gone then.
                    try? await Task.sleep(for: time)
                    self?.wake(number)
                }
                state.withLock {
                    $0.waiters[number] = Waiter(continuation: continuation, timer: timer)
                }
                // A change or an end before the line above has woken nobody.
                if Task.isCancelled || isDue() { wake(number) }
            }
        } onCancel: {
            wake(number)
        }
    }

    private func wake(_ number: Int) {
        if let waiter = state.withLock({ $0.waiters.removeValue(forKey: number) }) {
            Self.wake(waiter)
        }
    }

    private static func wake(_ waiter: Waiter) {
        waiter.timer.cancel()
        waiter.continuation.resume()
    }
}
