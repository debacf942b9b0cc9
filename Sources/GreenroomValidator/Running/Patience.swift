import Glibc
import GreenroomHost

/// How long a plugin has had time, as far as its process got a processor when it wanted one.
struct Patience {
    private let process: Int32
    private let begin = MonotonicClock.now
    private let delayAtBegin: Int64

    /// How long a callback may take, in nanoseconds.
    static let limit: Int64 = 2_000_000_000

    /// - Parameter process: The plugin's.
    init(_ process: Int32) {
        self.process = process
        delayAtBegin = Self.runDelay(of: process)
    }

    /// Waits as long as something goes on, until the plugin has had its time.
    ///
    /// - Returns: Whether it ended within that.
    func lasts(while goesOn: () -> Bool) -> Bool {
        while goesOn() {
            let delay = Self.runDelay(of: process) - delayAtBegin
            if MonotonicClock.now - begin - max(delay, 0) > Self.limit { return false }
            usleep(10_000)
        }
        return true
    }

    /// How long the thread that waited longest for a processor did so, in nanoseconds.
    private static func runDelay(of process: Int32) -> Int64 {
        ProcessView(process).threads.map { thread in
            let text = ProcessView.text("/proc/\(process)/task/\(thread)/schedstat")
            let words = text.split(separator: " ")
            return words.count > 1 ? Int64(words[1]) ?? 0 : 0
        }.max() ?? 0
    }
}
