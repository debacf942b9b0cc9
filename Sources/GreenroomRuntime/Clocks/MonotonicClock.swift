import Glibc

/// The machine's monotonic clock: the session clock in real time.
@usableFromInline package enum MonotonicClock {
    /// Nanoseconds since an unspecified time before the process started.
    @usableFromInline package static var now: Int64 {
        var moment = timespec()
        clock_gettime(CLOCK_MONOTONIC, &moment)
        return Int64(moment.tv_sec) * 1_000_000_000 + Int64(moment.tv_nsec)
    }

    /// A time after now; saturates.
    package static func deadline(after nanoseconds: Int64) -> Int64 {
        HostClock.real.deadline(after: nanoseconds)
    }
}
