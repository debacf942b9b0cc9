import CLinux
import Glibc
import GreenroomOperate

/// Ctrl-C and similar signals.
///
/// The signals are blocked in every thread, including plugins' threads, and one thread waits for
/// them: no code runs in a signal handler.
enum Signals {
    /// Blocks the signals. Call this before creating threads. A lost reader of a pipe and a
    /// file-size limit must be errors of the write and must not kill the process. A signal with a
    /// meaning for other programs, or for `preview`, must not end a session.
    static func block() {
        for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
        // A library may set the action of its program's signals; threads keep their masks.
        block([SIGPIPE, SIGXFSZ])
        blockEndings()
    }

    /// Blocks only the signals that end a command. Call this before creating threads.
    static func blockEndings() {
        block(endings)
    }

    private static func block(_ signals: [Int32]) {
        var set = Self.set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a body at the first signal. The second signal ends the process immediately.
    ///
    /// - Parameters:
    ///   - hangUp: Called at each SIGHUP instead of `body`; nil if SIGHUP is like the other signals.
    ///   - drain: Called at the first SIGTERM. If it returns true, the next signal is the first for
    ///     `body`.
    static func handle(
        hangUp: (@Sendable () -> Void)? = nil, drain: @escaping @Sendable () -> Bool = { false },
        _ body: @escaping @Sendable () -> Void
    ) {
        DetachedThread {
            var set = set(of: endings)
            var (isDraining, hasEnded) = (false, false)
            while true {
                var number: Int32 = 0
                guard sigwait(&set, &number) == 0 else { continue }
                if number == SIGHUP, let hangUp {
                    hangUp()
                } else if hasEnded {
                    _exit(ExitStatus.interrupted.rawValue)
                } else if number == SIGTERM, !isDraining, drain() {
                    isDraining = true
                } else {
                    hasEnded = true
                    body()
                }
            }
        }
    }

    /// Calls a body once another process has ended.
    ///
    /// The kernel's signal for the death of a parent can arrive several times, because each thread of the parent
    /// dies. A pidfd reports the end once.
    static func handleEnd(of process: pid_t, _ body: @escaping @Sendable () -> Void) {
        let handle = greenroom_pidfd(process)
        guard handle >= 0 || handle == -ESRCH else { return }
        DetachedThread {
            var entry = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
            while handle >= 0, poll(&entry, 1, -1) < 0 {}
            body()
        }
    }

    /// Whether the process has a terminal. The terminal's end sends SIGHUP.
    static var haveTerminal: Bool { (0...2).contains { isatty($0) == 1 } }

    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
