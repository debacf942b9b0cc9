import Glibc
import GreenroomHost

/// How long a plugin has had time, as far as its process, and this one, got a processor when they
/// wanted one.
struct Patience {
    private let process: Int32
    private let begin = MonotonicClock.now
    private let delayAtBegin: Int64

    /// How long a callback may take, in nanoseconds.
    private static let limit: Int64 = 2_000_000_000
    /// How long is waited on the busiest machine.
    private static let greatest: Int64 = 10_000_000_000

    /// - Parameter process: The plugin's.
    init(_ process: Int32) {
        self.process = process
        delayAtBegin = ProcessLoad(of: process).delayNanoseconds
    }

    /// The verdict on what has not ended in its time; nil if the plugin had at least half of that.
    var doubt: Verdict? {
        let delay = ProcessLoad(of: process).delayNanoseconds - delayAtBegin
        guard MonotonicClock.now - begin - delay < Self.limit / 2 else { return nil }
        return .skipped(
            "the machine was too busy to tell: the plugin's threads waited "
                + "\(delay / 1_000_000) ms for a processor")
    }

    /// Waits as long as something goes on, until the plugin has had its time.
    ///
    /// - Returns: Whether it ended within that.
    func endsInTime(while goesOn: () -> Bool) -> Bool {
        // What this process came too late for, the plugin's may have come too late for, too.
        var late: Int64 = 0
        while goesOn() {
            let now = MonotonicClock.now
            let waited = now - begin
            let delay = ProcessLoad(of: process).delayNanoseconds - delayAtBegin
            if waited > Self.greatest || waited - max(delay, late) > Self.limit { return false }
            usleep(10_000)
            late += max(MonotonicClock.now - now - 10_000_000, 0)
        }
        return true
    }
}
