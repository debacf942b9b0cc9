/// A session that accepts no new guests and ends when its guests have left.
///
/// A value without a clock: times are arguments, in nanoseconds on the session clock.
package struct SessionDrain: Equatable {
    /// The time that a guest has to return after a lost connection or a reloaded page.
    package static let returnNanoseconds: Int64 = 5_000_000_000

    /// The end of the session's drain timeout.
    private let deadline: Int64
    private var hadGuests = false
    /// The time of the last guest's leave; nil while guests are present.
    private var emptySince: Int64?

    package init(until deadline: Int64) { self.deadline = deadline }

    /// The time at which the session must look again.
    package var due: Int64 { min(deadline, emptySince.map { $0 + Self.returnNanoseconds } ?? .max) }

    /// Decides whether the session ends.
    ///
    /// - Parameter guests: The number of guests; nil while the call restarts, because its guests may
    ///   return.
    /// - Returns: The end; nil while the session continues.
    package mutating func follow(guests: Int?, at now: Int64) -> SessionEnd? {
        if let guests {
            hadGuests = hadGuests || guests > 0
            emptySince = guests > 0 ? nil : emptySince ?? now
        }
        if now >= deadline { return SessionEnd("drain-timeout is over", .finished) }
        guard let emptySince else { return nil }
        guard hadGuests else { return SessionEnd("drained: no guests", .finished) }
        return now >= emptySince + Self.returnNanoseconds
            ? SessionEnd("drained: the last guest left", .finished) : nil
    }
}
