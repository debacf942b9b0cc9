import GreenroomRuntime

/// Samples a runner every 100 ms, passes the sample to the watchdog, and pings.
struct RunnerWatch {
    /// The watch thread's poll timeout, in milliseconds.
    static let intervalMilliseconds: Int32 = 100
    private static let intervalNanoseconds = Int64(intervalMilliseconds) * 1_000_000

    private let connection: RunnerConnection
    private var watchdog: ProcessWatchdog
    private var lastCheck = MonotonicClock.now

    init(_ connection: RunnerConnection, memoryLimitBytes: Int) {
        self.connection = connection
        watchdog = ProcessWatchdog(memoryLimitBytes: memoryLimitBytes)
    }

    /// Whether the next sample is due.
    var isDue: Bool { MonotonicClock.now - lastCheck >= Self.intervalNanoseconds }

    /// Checks a sample, and pings.
    ///
    /// - Parameter isStopped: Whether a signal has stopped the process.
    mutating func check(_ sample: ProcessWatchdog.Sample, isStopped: Bool) {
        let now = MonotonicClock.now
        if let finding = watchdog.check(sample, after: now - lastCheck) {
            connection.lose(because: finding.text(isStopped: isStopped))
        }
        lastCheck = now
        connection.ping()
    }

    /// Skips a sample.
    mutating func skip() { lastCheck = MonotonicClock.now }
}
