import Glibc
import Synchronization

/// Ends calls of FFmpeg that wait for the network: at a deadline, or at once.
final class NetworkTimeout: Sendable {
    private let isStopped = Atomic(false)
    /// In milliseconds of real time.
    private let deadline = Atomic(Int64.max)

    /// Whether a call has to return now. FFmpeg asks about every 100 ms.
    var isDue: Bool {
        isStopped.load(ordering: .relaxed) || deadline.load(ordering: .relaxed) < Self.now()
    }

    /// Limits the call that follows.
    func limit(toMilliseconds milliseconds: Int64) {
        deadline.store(Self.now() + milliseconds, ordering: .relaxed)
    }

    /// Ends the running call and all later ones.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
