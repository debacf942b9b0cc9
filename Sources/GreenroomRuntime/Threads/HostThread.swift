import Glibc

/// A thread of the host that can be waited for with a deadline, and left behind when it hangs
/// in a plugin.
package final class HostThread: Sendable {
    private let ended = Monitor(false)

    /// Starts a thread that has no part in a session yet.
    package convenience init(name: String, body: @escaping @Sendable () -> Void) {
        self.init(name: name, clock: nil, body: body)
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: Shown by `top -H` and debuggers; cut to 15 bytes.
    ///   - clock: The clock that the thread waits on, if it has part in a session.
    ///   - order: Who the thread is to that clock.
    ///   - body: What the thread does.
    package init(
        name: String, clock: SessionClock?, as order: ClockOrder = .session,
        body: @escaping @Sendable () -> Void
    ) {
        let ended = ended
        let sleeper = clock?.admit(order)
        let job = Job {
            nameThisThread(name)
            if let sleeper { clock?.join(as: sleeper) }
            body()
            ended.change { $0 = true }
            SleeperOfThread.leave()
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(job).toOpaque()
        let status = pthread_create(&thread, nil, runJob, argument)
        if status == 0 {
            pthread_detach(thread)
        } else {
            // No memory for a stack: whoever waits for the thread must not wait for ever.
            Unmanaged<Job>.fromOpaque(argument).release()
            if let sleeper { clock?.dismiss(sleeper) }
            ended.change { $0 = true }
        }
    }

    /// Ends the calling thread's part in any session: no clock waits for it any more.
    package static func leaveClock() { SleeperOfThread.leave() }

    /// Waits for the end of the body.
    ///
    /// - Parameter deadline: Monotonic nanoseconds; nil waits for as long as it takes.
    /// - Returns: Whether it ended.
    @discardableResult
    package func join(until deadline: Int64? = nil) -> Bool {
        ended.wait(until: deadline) { $0 ? true : nil } ?? false
    }
}

/// `pthread_setname_np` is a GNU extension that Swift's Glibc does not import.
private func nameThisThread(_ name: String) {
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    var bytes = Array(name.utf8.prefix(15))
    _ = write(file, &bytes, bytes.count)
    close(file)
}

private final class Job: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runJob(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
    return nil
}
