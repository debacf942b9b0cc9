import GreenroomMedia
import Synchronization

/// Limits the log lines of one plugin to 100 a second, and counts dropped lines.
///
/// Threads: any.
final class LogRateLimiter: Sendable {
    private struct State {
        var second: Int64 = 0
        var lines = 0
        var dropped = 0
    }

    private static let mostLinesASecond = Limits.logLines

    /// Guards the counts of the current second.
    private let state = Mutex(State())

    /// Counts a line.
    ///
    /// - Parameter now: The time, in monotonic nanoseconds.
    /// - Returns: Whether to log the line, and the number of lines dropped in an earlier second and
    ///   not yet reported.
    func count(at now: Int64) -> (passes: Bool, dropped: Int) {
        let second = now / 1_000_000_000
        return state.withLock { state in
            var dropped = 0
            if state.second != second {
                dropped = state.dropped
                state = State(second: second)
            }
            state.lines += 1
            let passes = state.lines <= Self.mostLinesASecond
            if !passes { state.dropped += 1 }
            return (passes, dropped)
        }
    }
}
