/// Which clock a session runs on.
public enum ClockKind: String, CaseIterable, Sendable, Codable {
    /// The machine's monotonic clock.
    case real
    /// A clock of the session's own, which goes on as soon as everybody waits: faster than real
    /// time, and the same each time.
    case virtual
}

/// The clock that plugins, tracks and outputs share: monotonic nanoseconds.
final class SessionClock: Sendable {
    /// Whether time stands still while anybody is at work.
    var isVirtual: Bool { false }

    /// The time, which never goes backward.
    var now: Int64 { MonotonicClock.now }

    /// Waits until a body returns something, or the clock shows a time. [any]
    ///
    /// - Parameters:
    ///   - monitor: What the body looks at.
    ///   - deadline: On this clock; nil for never.
    ///   - body: Runs at once and after each change, under the monitor's lock.
    /// - Returns: What the body returned; nil when the deadline passed.
    func wait<Value: ~Copyable, Result: ~Copyable>(
        for monitor: Monitor<Value>, until deadline: Int64?,
        _ body: (inout Value) -> sending Result?
    ) -> sending Result? {
        monitor.wait(until: deadline, for: body)
    }
}
