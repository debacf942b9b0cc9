import GreenroomRuntime

/// Measures whether the machine had time for a plugin and for this process over a period of real
/// time.
final class SchedulingNoise: Sendable {
    /// Allowed loss of time to other processes, as a ratio.
    private static let lossLimit = 0.01
    /// The length of a sleep, in nanoseconds.
    private static let sleep: Int64 = 5_000_000

    /// The ordinary lateness of a sleep.
    private static let ordinaryLateness: Int64 = 1_000_000

    private let process: Int32
    private let begin: (time: Int64, delay: Int64)
    /// Whether the period is over, and the total lateness of sleeps.
    private let state = Monitor((isOver: false, lateness: Int64(0)))

    /// Starts the period.
    ///
    /// - Parameter process: The plugin's process.
    init(process: Int32) {
        self.process = process
        begin = (MonotonicClock.now, ProcessLoad(of: process).delayNanoseconds)
        // Runs until the end of the period.
        _ = HostThread(name: "calm") { [state] in
            while true {
                let due = MonotonicClock.now + Self.sleep
                if state.wait(until: due, for: { $0.isOver ? true : nil }) == true { return }
                let late = MonotonicClock.now - due - Self.ordinaryLateness
                state.change { $0.lateness += max(late, 0) }
            }
        }
    }

    deinit { state.change { $0.isOver = true } }

    /// Ends the period. Whether the threads of the plugin and of this process ran when they could.
    var wasCalm: Bool {
        let lateness = state.change { state in
            state.isOver = true
            return state.lateness
        }
        let most = Double(MonotonicClock.now - begin.time) * Self.lossLimit
        let delay = ProcessLoad(of: process).delayNanoseconds - begin.delay
        return Double(delay) <= most && Double(lateness) <= most
    }
}
