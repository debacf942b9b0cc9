/// Where the session's sound goes.
package protocol AudioSink: AnyObject, Sendable {
    /// Takes a stretch of 48 kHz stereo; never waits. [the session's sound thread]
    func write(_ samples: Span<Int16>)

    /// Ends the output; returns when what it has is written, or can't be.
    ///
    /// - Parameter deadline: When to leave it behind, in monotonic nanoseconds.
    func finish(until deadline: Int64)
}
