/// The clock that plugins, tracks and outputs share: monotonic nanoseconds.
final class SessionClock: Sendable {
    /// The time, which never goes backward.
    var now: Int64 { MonotonicClock.now }
}
