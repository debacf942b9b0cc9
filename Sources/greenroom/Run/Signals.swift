import CLinux
import Glibc
import GreenroomOperate

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
        // A library may set the action of its program's signals; threads keep their masks.
        block([SIGPIPE, SIGXFSZ])
        blockEndings()
    }

    /// Blocks only the signals that end a command; call it before creating threads.
    static func blockEndings() {
        block(endings)
    }

    private static func block(_ signals: [Int32]) {
        var set = Self.set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a body at the first signal; the second one ends the process at once.
    ///
    /// - Parameter hangUp: Called instead at each SIGHUP; nil: that is a signal as the others.
    static func handle(
        hangUp: (@Sendable () -> Void)? = nil, _ body: @escaping @Sendable () -> Void
    ) {
        DetachedThread {
            var set = set(of: endings)
            var hasEnded = false
            while true {
                var number: Int32 = 0
                guard sigwait(&set, &number) == 0 else { continue }
                if number == SIGHUP, let hangUp {
                    hangUp()
                } else if hasEnded {
                    _exit(ExitStatus.interrupted.rawValue)
                } else {
                    hasEnded = true
                    body()
                }
            }
        }
    }

    /// Whether the process has a terminal, whose end is a SIGHUP.
    static var haveTerminal: Bool { (0...2).contains { isatty($0) == 1 } }

    private static let endings = [SIGINT, SIGTERM, SIGHUP]

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        return set
    }
}
