import CLinux
import Glibc
import GreenroomRuntime
import Synchronization

/// Ends a polling thread.
final class WakeupPipe: Sendable {
    /// Readable when the thread must end.
    let descriptor: Int32
    private let writeDescriptor: Int32
    private let ending = Atomic(false)
    private let ended = Monitor(false)

    /// - Returns: The pipe; nil if the process is out of descriptors. `errno` has the reason.
    init?() {
        var pipe: [Int32] = [-1, -1]
        guard greenroom_pipe(&pipe) == 0 else { return nil }
        (descriptor, writeDescriptor) = (pipe[0], pipe[1])
    }

    deinit {
        close(descriptor)
        close(writeDescriptor)
    }

    /// Whether the thread must end.
    var isEnding: Bool { ending.load(ordering: .acquiring) }

    /// Records that the thread has ended. [the polling thread]
    func didEnd() { ended.change { $0 = true } }

    /// Ends the thread, and waits at most a second for its end.
    func endAndWait() {
        ending.store(true, ordering: .releasing)
        _ = write(writeDescriptor, [1] as [UInt8], 1)
        _ = ended.wait(until: MonotonicClock.deadline(after: 1_000_000_000)) { $0 ? () : nil }
    }
}
