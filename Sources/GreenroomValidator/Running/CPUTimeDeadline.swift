import CLinux
import Glibc
import GreenroomRuntime
import GreenroomSession

/// How long a plugin has had time, as far as its process, and this one, got a processor when they
/// wanted one.
struct CPUTimeDeadline {
    private let process: Int32
    private let begin = MonotonicClock.now
    private let loadAtBegin: ProcessLoad

    /// How long a callback may take, in nanoseconds.
    private static let limit: Int64 = 2_000_000_000
    /// How long is waited on the busiest machine.
    private static let greatest: Int64 = 10_000_000_000

    /// - Parameter process: The plugin's.
    init(_ process: Int32) {
        self.process = process
        loadAtBegin = ProcessLoad(of: process)
    }

    /// How long the machine had no time for the plugin.
    ///
    /// - Parameters:
    ///   - waited: How long it has had, in nanoseconds.
    ///   - late: How late this process came meanwhile, which the plugin's may have, too.
    private func delay(of waited: Int64, late: Int64 = 0) -> Int64 {
        let load = ProcessLoad(of: process)
        let delay = max(load.delayNanoseconds - loadAtBegin.delayNanoseconds, late)
        // Threads of its own that keep all processors busy are not the machine's.
        let processors = greenroom_processor_count()
        let run = max(load.runNanoseconds - loadAtBegin.runNanoseconds, 0)
        return max(min(delay, waited - run / processors), 0)
    }

    /// The verdict on what has not ended in its time; nil if the plugin had at least half of that.
    var doubt: Verdict? {
        let waited = MonotonicClock.now - begin
        let delay = delay(of: waited)
        guard waited - delay < Self.limit / 2 else { return nil }
        return .skipped(
            "the machine was too busy to tell: the plugin's threads waited "
                + "\(delay / 1_000_000) ms for a processor")
    }

    /// Waits as long as something goes on, until the plugin has had its time.
    ///
    /// - Returns: Whether it ended within that.
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
