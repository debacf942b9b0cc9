/// Decides when to restart a lost plugin: later each time, and not after too many losses.
///
/// It has no clock: times are arguments, in nanoseconds on the session clock.
struct Backoff: Sendable {
    /// The delay of a restart after the first loss within a minute, the second one, and so on.
    static let delays: [Int64] = [
        500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000, 8_000_000_000,
    ]
    /// How long a loss counts.
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
