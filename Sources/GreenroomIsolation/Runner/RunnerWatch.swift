import GreenroomRuntime

/// Looks at a runner every 100 ms: has the watchdog judge what is seen, and pings.
struct RunnerWatch {
    /// How long a thread that watches may poll, in milliseconds.
    static let intervalMilliseconds: Int32 = 100
    private static let intervalNanoseconds = Int64(intervalMilliseconds) * 1_000_000

    private let connection: RunnerConnection
    private var watchdog: ProcessWatchdog
    private var lastLook = MonotonicClock.now

    init(_ connection: RunnerConnection, memoryLimitBytes: Int) {
        self.connection = connection
        watchdog = ProcessWatchdog(memoryLimitBytes: memoryLimitBytes)
    }

    /// Whether it is time to look.
    var isDue: Bool { MonotonicClock.now - lastLook >= Self.intervalNanoseconds }

    /// Judges what was seen, and pings.
    ///
    /// - Parameter isStopped: Whether a signal has stopped the process.
    mutating func look(at sample: ProcessWatchdog.Sample, isStopped: Bool) {
        let now = MonotonicClock.now
        if let finding = watchdog.check(sample, after: now - lastLook) {
            connection.lose(because: finding.text(isStopped: isStopped))
        }
        lastLook = now
        connection.ping()
    }

    /// There is nothing to look at now.
    mutating func skip() { lastLook = MonotonicClock.now }
}
