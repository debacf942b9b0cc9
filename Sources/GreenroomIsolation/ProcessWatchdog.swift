import GreenroomMedia
import GreenroomRuntime

/// Decides when to kill a live process: the process does not answer, exceeds its memory limit, or
/// floods the host.
///
/// The watchdog has no clock and reads no files. The caller passes samples.
struct ProcessWatchdog {
    /// A reason to kill a process.
    enum Finding: Equatable, Sendable {
        /// The process has not answered for this time, in nanoseconds.
        case silent(Int64)
        case memory(bytes: Int, limit: Int)
        case mainThreadExited
        case threads(Int)
        case frames(perSecond: Int, limit: Int)
        case lines(perSecond: Int)
        case calls(perSecond: Int)
    }

    /// Measurements of a process at one time.
    struct Sample: Sendable {
        /// Whether the process has answered the last ping.
        var hasAnswered: Bool
        /// The process's memory in bytes, without the frames that the host lends.
        var memoryBytes: Int
        var mainThreadHasExited = false
        var threads = 1
        /// Calls since the start.
        var calls = 0
        /// Frames sent since the start, accepted or not.
        var frames: Int
        /// Lines written since the start.
        var lines: Int
        /// The negotiated rate, in frames per second; 0 if none.
        var rate: Double
    }

    /// Limit of time without an answer, in nanoseconds.
    static func silenceLimit(isVirtual: Bool) -> Int64 {
        isVirtual ? HostClock.virtualPatience : 3_000_000_000
    }
    /// Limit of time without a main thread, in nanoseconds. An exiting process is briefly in this
    /// state, longer on a busy machine. Its exit status is a better explanation than this limit.
    static let exitLimit: Int64 = 3_000_000_000
    /// The longest counted interval between samples, in nanoseconds. If an interval is longer, the
    /// host itself was stopped or had no processor time.
    static let longestInterval: Int64 = 1_100_000_000
    /// Limit of threads: 256 with a channel, and others that never call the host.
    static let threadLimit = Limits.threads
    /// Limit of calls per second of real time.
    static let callLimit = 50_000
    /// Limit of lines per second.
    static let lineLimit = 5000

    private let memoryLimitBytes: Int
    private var silence: Int64 = 0
    private var elapsed: Int64 = 0
    private var before: (frames: Int, lines: Int, calls: Int)?
    private var withoutMainThread: Int64 = 0

    init(memoryLimitBytes: Int) {
        self.memoryLimitBytes = memoryLimitBytes
    }

    /// Limit of frames per second of a source with a negotiated rate.
    static func frameLimit(rate: Double) -> Int { max(Int(10 * rate.rounded(.up)), 300) }

    /// Checks a sample.
    ///
    /// - Parameters:
    ///   - nanoseconds: The real time since the last sample.
    ///   - silenceLimit: The longest time without an answer.
    /// - Returns: The reason to kill the process; nil if none.
    mutating func check(
        _ sample: Sample, after nanoseconds: Int64,
        silenceLimit: Int64 = silenceLimit(isVirtual: false)
    ) -> Finding? {
        let interval = min(nanoseconds, Self.longestInterval)
        silence = sample.hasAnswered ? 0 : silence + interval
        if silence >= silenceLimit { return .silent(silenceLimit) }
        if sample.memoryBytes > memoryLimitBytes {
            return .memory(bytes: sample.memoryBytes, limit: memoryLimitBytes)
        }
        withoutMainThread = sample.mainThreadHasExited ? withoutMainThread + interval : 0
        if withoutMainThread >= Self.exitLimit { return .mainThreadExited }
        if sample.threads > Self.threadLimit { return .threads(sample.threads) }
        guard let before else {
            self.before = (sample.frames, sample.lines, sample.calls)
            return nil
        }
        elapsed += nanoseconds
        guard elapsed >= 1_000_000_000 else { return nil }
        let seconds = Double(elapsed) / 1e9
        let frames = Int(Double(sample.frames - before.frames) / seconds)
        let lines = Int(Double(sample.lines - before.lines) / seconds)
        let calls = Int(Double(sample.calls - before.calls) / seconds)
        elapsed = 0
        self.before = (sample.frames, sample.lines, sample.calls)
        // Frames and lines count as calls, too. Check them first, because their messages are more
        // precise.
        if sample.rate > 0, frames > Self.frameLimit(rate: sample.rate) {
            return .frames(perSecond: frames, limit: Self.frameLimit(rate: sample.rate))
        }
        if lines > Self.lineLimit { return .lines(perSecond: lines) }
        return calls > Self.callLimit ? .calls(perSecond: calls) : nil
    }
}

extension ProcessWatchdog.Finding {
    /// The finding in words.
    ///
    /// - Parameter isStopped: Whether a signal has stopped the process.
    func text(isStopped: Bool) -> String {
        switch self {
        case .silent(let nanoseconds):
            return "the process has not answered for \(nanoseconds / 1_000_000_000) s"
                + (isStopped ? ": stopped (SIGSTOP)" : "")
        case .memory(let bytes, let limit):
            return
                "the process uses \(bytes / 1_000_000) MB of memory besides its frames, limit: "
                + "\(limit / 1_000_000) MB; fix the leak, or raise memory-limit"
        case .mainThreadExited: return "the main thread exited"
        case .threads(let count):
            return "the process has \(count) threads, limit: \(ProcessWatchdog.threadLimit)"
        case .calls(let calls):
            return
                "makes \(calls) calls/s, limit: \(ProcessWatchdog.callLimit)/s; send audio with a "
                + "timeout, and wait with wait_until_ns between frames"
        case .frames(let frames, let limit):
            return
                "sends \(frames) frames/s, limit: \(limit)/s; wait with wait_until_ns between "
                + "frames"
        case .lines(let lines):
            return "logs \(lines) lines/s, limit: \(ProcessWatchdog.lineLimit)/s"
        }
    }
}
