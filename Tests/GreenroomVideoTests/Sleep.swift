import Glibc

@testable import GreenroomRuntime
@testable import GreenroomVideo

extension MonotonicClock {
    /// Lets other threads go on; nothing is asserted about how long it takes.
    static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
