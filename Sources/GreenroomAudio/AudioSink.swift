/// Where a track's sound goes, or the sum of all.
package protocol AudioSink: AnyObject, Sendable {
    /// Takes a stretch of 48 kHz stereo; never waits. [the session's sound thread]
    func write(_ samples: Span<Int16>)

    /// Ends the sink; returns when what it has is written, or can't be.
    ///
    /// - Parameter deadline: When to leave it behind, in monotonic nanoseconds.
    func finish(until deadline: Int64)

    /// How it is. [any]
    var health: SinkHealth { get }

    /// Its part of the session's report; nil if it has none. [any]
    func report(of mix: MixStatistics) -> OutputReport?
}

extension AudioSink {
    package var health: SinkHealth { .passive }
    package func report(of mix: MixStatistics) -> OutputReport? { nil }
}

/// Whether a session has a reason to go on for a sink.
package enum SinkHealth: Sendable {
    /// It takes what it gets, or may do so again.
    case working
    /// It takes nothing any more.
    case failed
    /// It keeps nothing: no session goes on for it, and none ends without it.
    case passive
}
