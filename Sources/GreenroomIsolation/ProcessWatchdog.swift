/// Decides when a process that lives is a loss all the same: it does not answer, has more memory
/// than it may, or floods the host.
///
/// It has no clock and asks nothing: what was seen is passed in.
struct ProcessWatchdog {
    /// Why a process is given up.
    enum Finding: Equatable, Sendable {
        /// It has not answered for some seconds.
        case silent
        case memory(bytes: Int, limit: Int)
        /// Its first thread has ended.
        case headless
        case threads(Int)
        case frames(aSecond: Int, most: Int)
        case lines(aSecond: Int)
        case calls(aSecond: Int)
    }

    /// What was seen in a stretch of time.
    struct Sample: Sendable {
        /// Whether the process has answered since it was asked last.
        var hasAnswered: Bool
        /// Its memory but for what it was lent.
        var memoryBytes: Int
        /// Whether its first thread has ended.
        var isHeadless = false
        /// How many threads it has.
        var threads = 1
        /// Calls that it has made so far.
        var calls = 0
        /// Frames that it has sent so far, whatever became of them.
        var frames: Int
        /// Lines that it has written so far.
        var lines: Int
        /// The rate that was agreed on, in frames a second; 0 for none.
        var rate: Double
    }

    /// How long a process may be silent, in nanoseconds.
    static let patience: Int64 = 3_000_000_000
    /// How long a process that ends as a whole may be without its first thread, in nanoseconds, on a
    /// busy machine.
    static let longestEnd: Int64 = 1_000_000_000
    /// How long a stretch counts at most. One that was longer is not the process's doing: the host
    /// was stopped, or had no time to look.
    static let longestStretch: Int64 = 250_000_000
    /// The most threads: 64 channels, and as many again that never call.
    static let mostThreads = 256
    /// The most calls in a second, on the machine's clock: on a virtual one a second is short.
    static let mostCalls = 50_000
    /// The most lines in a second.
    static let mostLines = 5000

    private let memoryLimitBytes: Int
    private var silence: Int64 = 0
    private var elapsed: Int64 = 0
    private var before: (frames: Int, lines: Int, calls: Int)?
    private var headless: Int64 = 0

    init(memoryLimitBytes: Int) {
        self.memoryLimitBytes = memoryLimitBytes
    }

    /// The most frames in a second of a source that agreed on a rate.
    static func mostFrames(rate: Double) -> Int { max(Int(10 * rate.rounded(.up)), 300) }

    /// Looks at what was seen.
    ///
    /// - Parameter nanoseconds: Real time since the last look.
    mutating func look(_ sight: Sample, after nanoseconds: Int64) -> Finding? {
        let stretch = min(nanoseconds, Self.longestStretch)
        silence = sight.hasAnswered ? 0 : silence + stretch
        if silence >= Self.patience { return .silent }
        if sight.memoryBytes > memoryLimitBytes {
            return .memory(bytes: sight.memoryBytes, limit: memoryLimitBytes)
        }
        headless = sight.isHeadless ? headless + stretch : 0
        if headless >= Self.longestEnd { return .headless }
        if sight.threads > Self.mostThreads { return .threads(sight.threads) }
        guard let before else {
            self.before = (sight.frames, sight.lines, sight.calls)
            return nil
        }
        elapsed += nanoseconds
        guard elapsed >= 1_000_000_000 else { return nil }
        let seconds = Double(elapsed) / 1e9
        let frames = Int(Double(sight.frames - before.frames) / seconds)
        let lines = Int(Double(sight.lines - before.lines) / seconds)
        let calls = Int(Double(sight.calls - before.calls) / seconds)
        elapsed = 0
        self.before = (sight.frames, sight.lines, sight.calls)
        // Frames and lines are calls, too, and tell more.
        if sight.rate > 0, frames > Self.mostFrames(rate: sight.rate) {
            return .frames(aSecond: frames, most: Self.mostFrames(rate: sight.rate))
        }
        if lines > Self.mostLines { return .lines(aSecond: lines) }
        return calls > Self.mostCalls ? .calls(aSecond: calls) : nil
    }
}

extension ProcessWatchdog.Finding {
    /// The evidence in words.
    ///
    /// - Parameter isStopped: Whether the process is stopped by a signal.
    func text(isStopped: Bool) -> String {
        switch self {
        case .silent:
            let seconds = ProcessWatchdog.patience / 1_000_000_000
            return "its process has not answered for \(seconds) s"
                + (isStopped ? ": it is stopped (SIGSTOP)" : "")
        case .memory(let bytes, let limit):
            return
                "its process has \(bytes / 1_000_000) MB of memory besides its frames, and may have "
                + "\(limit / 1_000_000) MB: mend the leak, or raise memory-limit"
        case .headless: return "its process has ended its first thread"
        case .threads(let count):
            return
                "its process has \(count) threads, and \(ProcessWatchdog.mostThreads) are the most"
        case .calls(let calls):
            return
                "it makes \(calls) calls a second, and \(ProcessWatchdog.mostCalls) are the most that "
                + "are borne"
        case .frames(let frames, let most):
            return "it sends \(frames) frames a second, and \(most) are the most that are borne: "
                + "wait with wait_until_ns between frames"
        case .lines(let lines):
            return
                "it writes \(lines) lines of log a second, and \(ProcessWatchdog.mostLines) are the "
                + "most that are borne"
        }
    }
}
