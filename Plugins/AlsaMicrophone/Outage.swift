/// A period without audio: its start and its end are logged once, and attempts to end it have
/// pauses between them.
struct Outage {
    private static let longestPauseSeconds: Int64 = 5

    /// Whether audio is missing now.
    private(set) var isOn = false
    private var pauseSeconds: Int64 = 1

    /// Records that audio is missing.
    ///
    /// - Returns: Whether the outage is new, and the nanoseconds to wait before the next attempt:
    ///   1, 2 and 4 seconds, then always 5.
    mutating func fail() -> (isNews: Bool, pauseNanoseconds: Int64) {
        defer {
            isOn = true
            pauseSeconds = min(pauseSeconds * 2, Self.longestPauseSeconds)
        }
        return (!isOn, pauseSeconds * 1_000_000_000)
    }

    /// Records that audio works.
    ///
    /// - Returns: Whether it ends an outage.
    mutating func end() -> Bool {
        defer { self = Outage() }
        return isOn
    }
}
