import Glibc

/// Ctrl-C and similar signals.
///
/// They are blocked in every thread, plugins' included, and one thread waits for them: no code runs
/// in a signal handler.
enum Signals {
    /// Blocks the signals; call it before creating threads. A lost reader of a pipe, and a
    /// file-size limit, must be errors of the write, and not kill the process; a signal that means
    /// something to other programs, or to `preview`, must not end a session.
    static func block() {
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        blockEndings()
    }

    /// Blocks only the signals that end a command; call it before creating threads.
    static func blockEndings() {
        var set = ending
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a body at the first signal; the second one ends the process at once.
    static func handle(_ body: @escaping @Sendable () -> Void) {
        Thread {
            var set = ending
            var number: Int32 = 0
            sigwait(&set, &number)
            body()
            sigwait(&set, &number)
            _exit(ExitStatus.interrupted.rawValue)
        }
    }

    private static var ending: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, number) }
        return set
    }
}

/// A detached thread: it lives as long as the process.
struct Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    @discardableResult
    init(_ run: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let body = Unmanaged.passRetained(Body(run))
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        if status == 0 { pthread_detach(thread) } else { body.release() }
    }
}
