internal import Glibc

/// The shortest time that a pump's work has slept.
///
/// A session on a virtual clock waits for a plugin that sleeps, so nothing is late; on the real clock its media are
/// missing. A busy machine makes only single times longer.
struct ShortestSleep: Equatable {
    /// The number of times before the shortest one counts.
    private static let least = 10

    private var count = 0
    private var shortest = Int64.max

    /// Measures one time of the work.
    mutating func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
        let (start, used) = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_THREAD_CPUTIME_ID))
        let result = try work()
        add(
            (Self.now(CLOCK_MONOTONIC) - start) - (Self.now(CLOCK_THREAD_CPUTIME_ID) - used))
        return result
    }

    mutating func add(_ nanoseconds: Int64) {
        count += 1
        shortest = min(shortest, nanoseconds)
    }

    private static func now(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The line for the log; nil if the work does not sleep for longer than its period.
    ///
    /// - Parameters:
    ///   - work: `drawing a frame`.
    ///   - period: The time that it has, in nanoseconds.
    func complaint(about work: String, within period: Int64) -> String? {
        guard count >= Self.least, shortest > period else { return nil }
        return "\(work) sleeps for at least \(shortest / 1_000_000) ms each time, and has "
            + "\(period / 1_000_000) ms: most are missing on the real clock. Wait with the host's clock instead"
    }
}
