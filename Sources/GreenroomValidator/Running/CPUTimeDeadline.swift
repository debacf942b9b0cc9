import CLinux
import Glibc
import GreenroomRuntime

/// A deadline for a plugin's call. The deadline counts only time in which the plugin's process and
/// this process received a processor when they needed one.
struct CPUTimeDeadline {
    private let process: Int32
    private let begin = MonotonicClock.now
    private let loadAtBegin: ProcessLoad

    /// The time limit of a callback, in nanoseconds.
    private static let limit: Int64 = 2_000_000_000
    /// The time limit on the busiest machine, in nanoseconds.
    private static let greatest: Int64 = 10_000_000_000

    /// - Parameter process: The plugin's process.
    init(_ process: Int32) {
        self.process = process
        loadAtBegin = ProcessLoad(of: process)
    }

    /// The time in which the machine had no processor for the plugin, in nanoseconds.
    ///
    /// - Parameters:
    ///   - waited: The elapsed time, in nanoseconds.
    ///   - late: The delay of this process meanwhile, and so possibly of the plugin's, in
    ///     nanoseconds.
    private func delay(of waited: Int64, late: Int64 = 0) -> Int64 {
        let load = ProcessLoad(of: process)
        let delay = max(load.delayNanoseconds - loadAtBegin.delayNanoseconds, late)
        // Do not count the load of the plugin's own threads.
        let processors = greenroom_processor_count()
        let run = max(load.runNanoseconds - loadAtBegin.runNanoseconds, 0)
        return max(min(delay, waited - run / processors), 0)
    }

    /// The verdict on a call that did not end in time; nil if the plugin had at least half of its
    /// time.
    var doubt: Verdict? {
        let waited = MonotonicClock.now - begin
        let delay = delay(of: waited)
        guard waited - delay < Self.limit / 2 else { return nil }
        return .notProven(
            "the machine was too busy to tell: the plugin's threads waited "
                + "\(delay / 1_000_000) ms for a processor")
    }

    /// Waits while a call runs, until the plugin has received its time.
    ///
    /// - Returns: Whether the call ended in time.
    func endsInTime(while goesOn: () -> Bool) -> Bool {
        var late: Int64 = 0
        while goesOn() {
            let now = MonotonicClock.now
            let waited = now - begin
            if waited > Self.greatest || waited - delay(of: waited, late: late) > Self.limit {
                return false
            }
            usleep(10_000)
            late += max(MonotonicClock.now - now - 10_000_000, 0)
        }
        return true
    }
}
