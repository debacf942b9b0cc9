import GreenroomRuntime
import GreenroomSession

/// Finds out whether the machine had time for a plugin, and for whoever looks at it, over a stretch
/// of real time.
final class SchedulingNoise: Sendable {
    /// What of the stretch may be lost to others, as a part of it.
    private static let mostLost = 0.01
    /// How long a sleep of the meter is, in nanoseconds.
    private static let sleep: Int64 = 5_000_000

    /// How late a sleep may end on a machine that has time.
    private static let ordinaryLateness: Int64 = 1_000_000

    private let process: Int32
    private let begin: (time: Int64, delay: Int64)
    /// Whether the stretch is over, and how late the meter's sleeps were in all.
    private let state = Monitor((isOver: false, lateness: Int64(0)))

    /// Begins the stretch.
    ///
    /// - Parameter process: The plugin's.
    init(process: Int32) {
        self.process = process
        begin = (MonotonicClock.now, ProcessLoad(of: process).delayNanoseconds)
        // Goes on until the stretch is over.
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

    /// Ends the stretch: whether the plugin's threads were run when they could, and this process's.
    var wasCalm: Bool {
        let lateness = state.change { state in
            state.isOver = true
            return state.lateness
        }
        let most = Double(MonotonicClock.now - begin.time) * Self.mostLost
        let delay = ProcessLoad(of: process).delayNanoseconds - begin.delay
        return Double(delay) <= most && Double(lateness) <= most
    }
}
