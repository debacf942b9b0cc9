import GreenroomLifecycle
import GreenroomRuntime

/// Samples a runner at least once a second, passes the sample to the watchdog, and pings the
/// runner.
struct RunnerWatch {
    /// The interval between samples of an active plugin, in milliseconds. Each sample wakes a
    /// thread.
    private static let longInterval: Int64 = 1000
    /// The interval for an inactive plugin, in milliseconds.
    private static let ordinaryInterval: Int64 = 500
    /// The interval while the process uses more than a quarter of its memory limit, in
    /// milliseconds. A process that allocates endlessly soon exceeds the quarter.
    private static let shortInterval: Int64 = 100

    private var intervalMilliseconds = ordinaryInterval
    private let connection: RunnerConnection
    private let memoryLimitBytes: Int
    private var watchdog: ProcessWatchdog
    private let clock: HostClock
    private var lastCheck: Int64

    init(_ connection: RunnerConnection, memoryLimitBytes: Int) {
        self.connection = connection
        self.memoryLimitBytes = memoryLimitBytes
        clock = connection.context.clock
        lastCheck = clock.now
        watchdog = ProcessWatchdog(memoryLimitBytes: memoryLimitBytes)
    }

    /// Whether the next sample is due.
    var isDue: Bool { nanosecondsUntilDue <= 0 }

    /// The time that the watch thread may wait for other events, in milliseconds.
    var waitMilliseconds: Int32 { Int32(max(0, (nanosecondsUntilDue + 999_999) / 1_000_000)) }

    private var nanosecondsUntilDue: Int64 {
        lastCheck + intervalMilliseconds * 1_000_000 - clock.now
    }

    /// Checks a sample, and pings the runner.
    ///
    /// - Parameter isStopped: Whether a signal has stopped the process.
    mutating func check(_ sample: ProcessWatchdog.Sample, isStopped: Bool) {
        let now = clock.now
        // Waiting longer does not help: a stopped process does not answer.
        let limit = ProcessWatchdog.silenceLimit(
            isVirtual: connection.context.hasVirtualClock && !isStopped)
        if let finding = watchdog.check(sample, after: now - lastCheck, silenceLimit: limit) {
            connection.lose(because: finding.text(isStopped: isStopped))
        }
        intervalMilliseconds =
            sample.memoryBytes > memoryLimitBytes / 4
            ? Self.shortInterval : connection.isActive ? Self.longInterval : Self.ordinaryInterval
        lastCheck = now
        connection.ping()
    }

    /// Skips a sample, so that the next is due after the full interval.
    mutating func skip() { lastCheck = clock.now }
}
