/// The clock of a session.
public enum ClockKind: String, CaseIterable, Sendable, Codable {
    /// The machine's monotonic clock.
    case real
    /// A simulated clock, which advances as soon as all threads wait: faster than real time, and
    /// deterministic.
    case virtual
}
