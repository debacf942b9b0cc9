/// Limits logged refusals to five a second.
struct RefusalLog {
    private static let limitPerSecond = 5

    private var second: Int64 = 0
    private var logged = 0
    private var skipped = 0

    /// Adds a refusal.
    ///
    /// - Returns: The number of refusals skipped before this one; nil if this one is skipped too.
    mutating func add(at nanoseconds: Int64) -> Int? {
        let now = nanoseconds / 1_000_000_000
        if now != second { (second, logged) = (now, 0) }
        guard logged < Self.limitPerSecond else {
            skipped += 1
            return nil
        }
        logged += 1
        defer { skipped = 0 }
        return skipped
    }
}
