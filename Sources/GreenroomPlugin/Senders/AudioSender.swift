public import GreenroomMedia

/// Sends the sound of a microphone or of a share.
///
/// Use it from any thread, and keep it as long as you like: after uninitialize it answers
/// `Status.gone`. The host queues 200 ms and empties the queue in session time, 100 ms behind it.
/// A block that finds no room is refused whole, or waits: see <doc:PaceAudio>.
public struct AudioSender: Sendable {
    let table: AudioSenderTable

    /// How long to wait for room in the queue.
    public enum Patience: Hashable, Sendable {
        /// Not at all.
        case none
        /// So many nanoseconds at most.
        case nanoseconds(Int64)
        /// Until there is room or the sending stops: a bare loop is paced by the host.
        case untilThereIsRoom
    }

    /// The host that gave the sender, with its clock.
    public var host: PluginHost { PluginHost(table: table.host) }

    /// Sends a block of sound: any length up to 100 ms, a short last one as well.
    ///
    /// Too much sound is refused with `Status.queueFull`, a block that is too long with
    /// `Status.badBlock`; silence stands for too little. Sound whose samples keep another time
    /// than the session clock is stretched to stay with the picture.
    ///
    /// - Parameters:
    ///   - samples: 16-bit, channels interleaved; up to 100 ms. Free again on return.
    ///   - format: 8000 to 192000 Hz, one or two channels.
    ///   - ptsNanoseconds: When the first sample sounds, on the session clock; nil: it follows
    ///     the block before without a gap, and after silence sounds when it comes.
    ///   - patience: How long to wait for room.
    /// - Throws: Why the host did not take it; it took nothing then.
    public func send(
        _ samples: Span<Int16>, format: AudioFormat, ptsNanoseconds: Int64? = nil,
        patience: Patience = .none
    ) throws(SendRefusal) {
        try table.send(samples, format, ptsNanoseconds, patience)
    }
}
