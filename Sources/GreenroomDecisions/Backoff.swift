import GreenroomMedia

/// Decides when to restart a lost plugin. Each delay is longer than the last; after too many losses
/// there is no restart.
///
/// The value has no clock: times are arguments, in nanoseconds on the session clock.
package struct Backoff: Sendable {
    /// The delays of restarts after the first loss within a minute, the second loss, and so on.
    package static let delays = Limits.restartDelaysNanoseconds
    /// The time for which a loss counts, in nanoseconds.
    package static let memory = Limits.restartMemoryNanoseconds

    private var losses: [Int64] = []

    package init() {}

    /// Records a loss.
    ///
    /// - Returns: The delay before the restart; nil after too many losses.
    package mutating func lost(at now: Int64) -> Int64? {
        losses.removeAll { now - $0 >= Self.memory }
        losses.append(now)
        return losses.count <= Self.delays.count ? Self.delays[losses.count - 1] : nil
    }
}
