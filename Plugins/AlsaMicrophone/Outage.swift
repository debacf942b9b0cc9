/// A time without sound: told once when it begins and once when it ends, and with pauses
/// between attempts to end it.
struct Outage {
    private static let longestPauseSeconds: Int64 = 5

    /// Whether sound is missing now.
    private(set) var isOn = false
    private var pauseSeconds: Int64 = 1

    /// Sound is missing, or still missing.
    ///
    /// - Returns: Whether this is news, and the nanoseconds to wait before the next attempt:
    ///   1, 2 and 4 seconds, and 5 from then on.
    mutating func fail() -> (isNews: Bool, pauseNanoseconds: Int64) {
        defer {
            isOn = true
            pauseSeconds = min(pauseSeconds * 2, Self.longestPauseSeconds)
        }
        return (!isOn, pauseSeconds * 1_000_000_000)
    }

    /// There is sound.
    ///
    /// - Returns: Whether this is news.
    mutating func end() -> Bool {
        defer { self = Outage() }
        return isOn
    }
}
