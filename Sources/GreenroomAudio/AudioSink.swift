/// Takes the audio of a track, or the sum of all.
package protocol AudioSink: AnyObject, Sendable {
    /// Takes a block of 48 kHz stereo; never waits. [the session's audio thread]
    func write(_ samples: Span<Int16>)

    /// Wakes the thread that takes what was written, once all sinks have their block. [the session's audio
    /// thread]
    func wake()

    /// Has the sink write what it has, and end; ``finish(until:)`` waits for that. [any]
    func beginFinish()
    /// Whether it takes nothing now: what is written is only counted. [the session's audio thread]
    var isIdle: Bool { get }

    /// Ends the sink; returns when what it has is written, or can't be.
    ///
    /// - Parameter deadline: When to stop waiting, in monotonic nanoseconds.
    func finish(until deadline: Int64)

    /// Whether it passes audio to a plugin, and so ends before the plugins do.
    var isOfPlugin: Bool { get }

    /// Its state. [any]
    var health: SinkHealth { get }

    /// Its part of the session report; nil if it has none. [any]
    func report(of mix: MixStatistics) -> OutputReport?
}

extension AudioSink {
    package func wake() {}
    package func beginFinish() {}
    package var isIdle: Bool { false }
    package var isOfPlugin: Bool { false }
    package var health: SinkHealth { .passive }
    package func report(of mix: MixStatistics) -> OutputReport? { nil }
}

/// Whether a sink is a reason for the session to continue.
package enum SinkHealth: Sendable {
    /// It takes audio, or may do so again.
    case working
    /// It will take no more audio.
    case failed
    /// It stores nothing: no session continues because of it, and none ends without it.
    case passive
}
