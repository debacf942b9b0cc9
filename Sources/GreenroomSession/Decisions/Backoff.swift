/// Decides when to restart a lost plugin. Each delay is longer than the last; after too many losses
/// there is no restart.
///
/// The value has no clock: times are arguments, in nanoseconds on the session clock.
struct Backoff: Sendable {
    /// The delays of restarts after the first loss within a minute, the second loss, and so on.
    static let delays: [Int64] = [
        500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000, 8_000_000_000,
    ]
    /// The time for which a loss counts, in nanoseconds.
    static let memory: Int64 = 60_000_000_000

    private var losses: [Int64] = []

    /// Records a loss.
    ///
    /// - Returns: The delay before the restart; nil after too many losses.
    mutating func lost(at now: Int64) -> Int64? {
        losses.removeAll { now - $0 >= Self.memory }
        losses.append(now)
        return losses.count <= Self.delays.count ? Self.delays[losses.count - 1] : nil
    }
}
