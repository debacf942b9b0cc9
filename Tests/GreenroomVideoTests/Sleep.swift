import Glibc

@testable import GreenroomRuntime
@testable import GreenroomVideo

extension MonotonicClock {
    /// Lets other threads run; no assertion depends on the duration.
    static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
