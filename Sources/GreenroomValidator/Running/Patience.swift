import Glibc
import GreenroomHost

/// How long a plugin has had time, as far as its process got a processor when it wanted one.
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

    /// Waits as long as something goes on, until the plugin has had its time.
    ///
    /// - Returns: Whether it ended within that.
    func endsInTime(while goesOn: () -> Bool) -> Bool {
        while goesOn() {
            let waited = MonotonicClock.now - begin
            let delay = ProcessLoad(of: process).delayNanoseconds - delayAtBegin
            if waited > Self.greatest || waited - max(delay, 0) > Self.limit { return false }
            usleep(10_000)
        }
        return true
    }
}
