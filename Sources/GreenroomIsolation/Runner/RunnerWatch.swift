import GreenroomLifecycle
import GreenroomRuntime

/// Samples a runner once a second or more often, passes the sample to the watchdog, and pings.
struct RunnerWatch {
    /// The time between two samples of an active plugin, in milliseconds: each wakes a thread.
    private static let longInterval: Int64 = 1000
    /// The interval for an inactive plugin.
    private static let ordinaryInterval: Int64 = 500
    /// The same while the process uses more than a quarter of its memory limit: a process that allocates
    /// without end is soon above it.
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

    /// How long the watch thread may wait for something else, in milliseconds.
    var waitMilliseconds: Int32 { Int32(max(0, (nanosecondsUntilDue + 999_999) / 1_000_000)) }

    private var nanosecondsUntilDue: Int64 {
        lastCheck + intervalMilliseconds * 1_000_000 - clock.now
    }

    /// Checks a sample, and pings.
    ///
    /// - Parameter isStopped: Whether a signal has stopped the process.
    mutating func check(_ sample: ProcessWatchdog.Sample, isStopped: Bool) {
        let now = clock.now
        // A stopped process will not answer, however long the host waits.
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

    /// Skips a sample.
    mutating func skip() { lastCheck = clock.now }
}
