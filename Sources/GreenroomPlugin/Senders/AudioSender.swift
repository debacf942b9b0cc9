public import GreenroomMedia

/// Sends the audio of a microphone or a share.
///
/// Use it from any thread, for as long as the process lives: after uninitialize it returns
/// `Status.gone`. The host queues 200 ms and empties the queue in session time, with a delay of 100
/// ms. If the queue is full, a block waits, or the host refuses it: see `docs/book/pace-audio.md`.
public struct AudioSender: Sendable {
    let table: AudioSenderTable

    /// The longest wait for room in the queue.
    public enum Timeout: Hashable, Sendable {
        /// Do not wait.
        case none
        /// At most this many nanoseconds.
        case nanoseconds(Int64)
        /// Until there is room or sending stops: the host sets the pace of a loop.
        case untilThereIsRoom
    }

    /// The host that made the sender, with its clock.
    public var host: PluginHost { PluginHost(table: table.host) }

    /// Sends a block of audio of any length up to 100 ms.
    ///
    /// The call waits until the queue has room, so the host paces a loop of sends. With a shorter timeout
    /// the host refuses excess audio with `Status.queueFull`. It refuses a block that is too long with
    /// `Status.badBlock`, plays silence for missing audio, and stretches audio of a drifting clock to keep it
    /// in sync with the video.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms. Not used after the call.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: The time of the first sample on the session clock. Nil: right after the
    ///     previous block, or after a silence on arrival.
    ///   - timeout: The longest wait for room; unlimited by default.
    /// - Throws: The host's refusal; it takes nothing of a refused block.
    public func send(
        _ samples: Span<Int16>, format: AudioFormat, ptsNanoseconds: Int64? = nil,
        timeout: Timeout = .untilThereIsRoom
    ) throws(SendRefusal) {
        try table.send(samples, format, ptsNanoseconds, timeout)
    }

    /// Silences the queued audio within 5 ms, so that an interrupted speaker is silent at once. The silence
    /// keeps its length, so audio that follows is on time.
    ///
    /// - Returns: The length of the audio that was silenced, in nanoseconds.
    /// - Throws: The host's refusal: the sender has stopped, or the host is older than minor 3.
    @discardableResult
    public func clear() throws(SendRefusal) -> Int64 { try table.clear() }

    /// Returns the time until the last queued sample is heard, in nanoseconds; 0 if all was heard.
    ///
    /// - Throws: The host's refusal: the sender has stopped, or the host is older than minor 3.
    public func queuedNanoseconds() throws(SendRefusal) -> Int64 { try table.queued() }
}
