/// Decides when to log that a filter leaves frames or audio unedited: at the first one, and when a
/// full second was edited again. If a period begins less than ten seconds after the last line, and
/// lasts until then, its line is logged at that time.
///
/// Times are nanoseconds from the session's start.
package struct FilterLog: Sendable {
    private struct Spell {
        /// The number of unedited frames.
        var frames = 0
        /// The time of the newest unedited frame.
        var newest: Int64
        var isTold = false
    }

    private static let recovery: Int64 = 1_000_000_000
    private static let pause: Int64 = 10_000_000_000

    private var spell: Spell?
    /// The time of the last line about unedited frames.
    private var told: Int64?

    package init() {}

    /// Records an unedited frame or block.
    ///
    /// - Returns: Whether to log it.
    package mutating func unedited(at now: Int64) -> Bool {
        var spell = spell ?? Spell(newest: now)
        defer { self.spell = spell }
        spell.frames += 1
        spell.newest = now
        guard !spell.isTold, told.map({ difference(now, $0) >= Self.pause }) ?? true else {
            return false
        }
        spell.isTold = true
        told = now
        return true
    }

    /// Records an edited frame or block.
    ///
    /// - Returns: The number of unedited frames or blocks, if the log should name their end.
    package mutating func edited(at now: Int64) -> Int? {
        guard let spell, difference(now, spell.newest) >= Self.recovery else { return nil }
        self.spell = nil
        return spell.isTold ? spell.frames : nil
    }
}
