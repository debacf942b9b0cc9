import Glibc

/// A host thread that can be joined with a deadline, and abandoned if it hangs in a plugin.
package final class HostThread: Sendable {
    private let ended = Monitor(false)
    /// The reason why the system did not start the thread, with the fix; nil if the thread runs.
    package let problem: String?

    /// Starts a thread that is not part of a session.
    package convenience init(name: String, body: @escaping @Sendable () -> Void) {
        self.init(name: name, clock: nil, body: body)
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: Shown by `top -H` and debuggers; cut to 15 bytes.
    ///   - clock: The session's clock; nil if the thread is not part of a session.
    ///   - order: Identifies the thread on that clock.
    ///   - wake: Called after the end of the body, when a join no longer waits. [the thread]
    ///   - body: The thread's work.
    package init(
        name: String, clock: SessionClock?, as order: ClockOrder = .session,
        ended wake: @escaping @Sendable () -> Void = {}, body: @escaping @Sendable () -> Void
    ) {
        let ended = ended
        let sleeper = clock?.admit(order)
        let job = Job {
            nameThisThread(name)
            if let sleeper { clock?.join(as: sleeper) }
            body()
            ended.change { $0 = true }
            wake()
            ThreadSleeper.leave()
        }
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(job).toOpaque()
        let status = pthread_create(&thread, nil, runJob, argument)
        problem = status == 0 ? nil : Self.problem(status)
        if status == 0 {
            pthread_detach(thread)
        } else {
            // No memory for a stack: a join must not wait forever.
            Unmanaged<Job>.fromOpaque(argument).release()
            if let sleeper { clock?.dismiss(sleeper) }
            ended.change { $0 = true }
        }
    }

    /// Returns the reason why the system starts no thread now, with the fix; nil if it does.
    package static func systemProblem() -> String? {
        let thread = HostThread(name: "first") {}
        if thread.problem == nil { thread.join() }
        return thread.problem
    }

    static func problem(_ error: Int32) -> String {
        let fix =
            error == EPERM
            ? "The container's seccomp profile refuses clone3: update Docker to 20.10.10 or later, or "
                + "run the container with --security-opt seccomp=unconfined"
            : "Raise ulimit -u, ulimit -v, or the container's limit of processes"
        return "the system cannot start a thread (\(String(cString: strerror(error)))). \(fix)"
    }

    /// Removes the calling thread from any session, so that no clock waits for the thread.
    package static func leaveClock() { ThreadSleeper.leave() }

    /// Waits for the end of the body.
    ///
    /// - Parameters:
    ///   - deadline: Nanoseconds on the clock; nil if none.
    ///   - clock: The deadline's clock.
    /// - Returns: Whether the body ended.
    @discardableResult
    package func join(until deadline: Int64? = nil, on clock: HostClock = .real) -> Bool {
        ended.wait(until: deadline, on: clock) { $0 ? true : nil } ?? false
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
