import Glibc

/// Ctrl-C and its kin.
///
/// The signals are blocked in every thread, plugins' included, and taken by one thread that
/// waits for them: no code runs in a signal handler.
enum Signals {
    /// Blocks the signals; call it before the first thread is made. A reader of a pipe that
    /// goes away, and a file that may not grow, must be errors of the write, not the end of the
    /// process.
    static func block() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        blockEndings()
    }

    /// Blocks those that end a command, and no others; before the first thread is made.
    static func blockEndings() {
        var set = ending
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a body with the first signal; with the second the process ends at once.
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

/// A thread that nobody waits for: it lives as long as the process.
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
