package import GreenroomRuntime

/// The time limit of loading a library. A busy machine extends it, as it extends the time of `create`.
package struct LoadDeadline: Equatable, Sendable {
    /// The most by which a busy machine extends the limit, in nanoseconds.
    package static let mostDelay: Int64 = 10_000_000_000

    /// The limit on an idle machine, in nanoseconds.
    package let limit: Int64
    private let begin: Int64

    package init(_ limit: Int64, from now: Int64) {
        self.limit = limit
        begin = now
    }

    /// The time at which the load counts as hung.
    ///
    /// - Parameter delay: The time for which the loading thread was ready to run while no processor was free, in
    ///   nanoseconds.
    package func end(delay: Int64) -> Int64 {
        begin + limit + min(max(delay, 0), Self.mostDelay)
    }

    /// Waits for the result of a load on another thread.
    ///
    /// - Parameter delay: The delay so far, as in ``end(delay:)``.
    /// - Returns: The result; nil if the load hangs.
    package func wait<Result: Sendable>(
        for result: Monitor<Result?>, delay: () -> Int64
    ) -> Result? {
        var end = end(delay: 0)
        while true {
            if let result = result.wait(until: end, for: { $0 }) { return result }
            end = self.end(delay: delay())
            if end <= MonotonicClock.now { return nil }
        }
    }
}
