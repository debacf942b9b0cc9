/// Decides when a plugin that was lost is started again: each time later than the time before, and
/// not at all once it was lost too often.
///
/// It has no clock: times are passed in, in nanoseconds on the session clock.
struct Backoff: Sendable {
    /// How long after a loss the plugin is started again: after the first one of a minute, the
    /// second one, and so on.
    static let delays: [Int64] = [
        500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000, 8_000_000_000,
    ]
    /// How long a loss counts.
    static let memory: Int64 = 60_000_000_000

    private var losses: [Int64] = []

    /// Takes a loss.
    ///
    /// - Returns: How long to wait before the plugin is started again; nil if it was lost too often.
    mutating func lost(at now: Int64) -> Int64? {
        losses.removeAll { now - $0 >= Self.memory }
        losses.append(now)
        return losses.count <= Self.delays.count ? Self.delays[losses.count - 1] : nil
    }
}
