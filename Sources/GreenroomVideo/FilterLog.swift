/// Decides when the log says that a filter leaves frames unedited: with the first one, and when it
/// has edited every frame of a second again. What begins less than ten seconds after the last such
/// line is told when those are over, if it lasts.
///
/// Times are nanoseconds from the session's start.
struct FilterLog: Sendable {
    private struct Spell {
        /// Frames left unedited.
        var frames = 0
        /// The newest of them.
        var newest: Int64
        var isTold = false
    }

    private static let recovery: Int64 = 1_000_000_000
    private static let pause: Int64 = 10_000_000_000

    private var spell: Spell?
    /// When the beginning of a spell was told last.
    private var told: Int64?

    /// Takes note of a frame that was left unedited.
    ///
    /// - Returns: Whether that is to be told.
    mutating func unedited(at now: Int64) -> Bool {
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

    /// Takes note of a frame that was edited.
    ///
    /// - Returns: How many were not, if it is to be told that this is over.
    mutating func edited(at now: Int64) -> Int? {
        guard let spell, difference(now, spell.newest) >= Self.recovery else { return nil }
        self.spell = nil
        return spell.isTold ? spell.frames : nil
    }
}
