/// Takes the audio of a track, or the sum of all tracks.
package protocol AudioSink: AnyObject, Sendable {
    /// Takes a block of 48 kHz stereo; never waits. [the session's audio thread]
    func write(_ samples: Span<Int16>)

    /// Passes silence of a length in frames, while the sink is idle. [any]
    func skip(_ frames: Int)

    /// Wakes the thread that reads the written audio, once all sinks have their block. [the
    /// session's audio thread]
    func wake()

    /// Starts to write the queued audio and to end the sink. ``finish(until:)`` waits for the
    /// result. [any]
    func beginFinish()
    /// Whether the sink receives no audio now. Audio written to an idle sink is only counted. [the
    /// session's audio thread]
    var isIdle: Bool { get }

    /// Ends the sink. Returns once the queued audio is written, or cannot be.
    ///
    /// - Parameter deadline: The end of the wait, in monotonic nanoseconds.
    func finish(until deadline: Int64)

    /// Whether the sink passes audio to a plugin, and therefore ends before the plugins.
    var isOfPlugin: Bool { get }

    /// The sink's state. [any]
    var health: SinkHealth { get }

    /// Returns the sink's part of the session report; nil if there is none. [any]
    func report(of mix: MixStatistics) -> OutputReport?
}

extension AudioSink {
    package func skip(_ frames: Int) {}
    package func wake() {}
    package func beginFinish() {}
    package var isIdle: Bool { false }
    package var isOfPlugin: Bool { false }
    package var health: SinkHealth { .passive }
    package func report(of mix: MixStatistics) -> OutputReport? { nil }
}

/// Whether a sink is a reason for the session to continue.
package enum SinkHealth: Sendable {
    /// The sink receives audio, or may do so again.
    case working
    /// The sink will take no further audio.
    case failed
    /// The sink stores no audio. The session neither continues nor ends because of it.
    case passive
}
