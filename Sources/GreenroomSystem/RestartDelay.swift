/// The pause before something outside that has ended is restarted: 0.5 s, doubled each time up to 30 s. After
/// a run of a minute it is 0.5 s again. In nanoseconds.
package struct RestartDelay: Sendable {
    private static let first: Int64 = 500_000_000
    private static let longest: Int64 = 30_000_000_000
    private static let steadyTime: Int64 = 60_000_000_000

    private var delay = first

    package init() {}

    /// The next pause.
    ///
    /// - Parameter duration: The duration of the last run.
    package mutating func next(afterRun duration: Int64) -> Int64 {
        if duration >= Self.steadyTime { delay = Self.first }
        defer { delay = min(delay * 2, Self.longest) }
        return delay
    }

    /// `"0.5 s"`.
    package static func text(_ pause: Int64) -> String { "\(Double(pause) / 1_000_000_000) s" }
}
