import Synchronization

/// Wakes the tasks that wait for a change.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The waiters that were cancelled before their wait began.
        var over: Set<Int> = []
    }

    private let state = Mutex(State())

    /// The number of changes so far.
    var count: Int { state.withLock { $0.count } }

    /// Records a change. [any]
    func post() {
        let waiters = state.withLock { state in
            state.count += 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Waits for a change, for a time at most, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - seen: The value of ``count`` before the caller looked for a change.
    ///   - time: nil: no limit.
    func wait(after seen: Int, atMost time: Duration?) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = time.map { time in
            Task {
                try? await Task.sleep(for: time)
                end(waiter)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.count == seen, !state.over.contains(waiter) else { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            end(waiter)
        }
        timer?.cancel()
        await timer?.value
        _ = state.withLock { $0.over.remove(waiter) }
    }

    private func end(_ waiter: Int) {
        state.withLock { state in
            state.over.insert(waiter)
            return state.waiters.removeValue(forKey: waiter)
        }?.resume()
    }
}
