import GreenroomMedia

/// What a source of sound has sent and the session has not played yet: up to 200 ms, each
/// sample at its place on the session's timeline.
///
/// Places are counted in frames of 48 kHz from the session's start.
struct SoundQueue: Sendable {
    /// What became of a stretch of time that was pulled.
    struct Counts: Sendable {
        /// Frames that the source had sent.
        var played = 0
        /// Frames of silence because the source was sending and had nothing there.
        var concealed = 0
        /// Frames that were sent before the session's time began.
        var early = 0
        /// Frames of silence before a source's first sound, and while it was not sending.
        var idle = 0
    }

    /// What the interface promises, and room for the rounding of resampled blocks.
    static let capacity =
        AudioFormat.session.sampleRate * AudioFormat.queueMilliseconds / 1000
        + 2 * CheckedBlock.mostRoundingFrames

    private var ring = SampleRing(capacity: capacity)
    /// The place that is pulled next.
    private(set) var place: Int64 = 0
    /// Frames of silence before the first that is queued.
    private var lead: Int64 = 0
    /// Whether what is appended next follows what was appended before.
    private(set) var isContinuous = false
    /// Whether the source has begun and not stopped: silence is a loss from there on.
    private var hasBegun = false
    /// Whether the silence that leads is a loss: it is not before a source's first sound.
    private var isLeadLost = false
    private(set) var counts = Counts()

    /// Frames that wait to be pulled.
    var queued: Int { ring.count }

    /// Frames that may be appended.
    var room: Int { ring.room }

    /// Says where the next sample belongs, when it follows no other.
    ///
    /// - Parameter wanted: Its place. One that has been pulled already becomes the next one
    ///   that has not.
    mutating func begin(at wanted: Int64) {
        lead = max(wanted - place, 0)
        isLeadLost = hasBegun
        hasBegun = true
        isContinuous = true
    }

    /// Forgets what is queued: it was sent before the session's time began.
    mutating func clear() {
        counts.early += ring.count
        ring.clear()
        lead = 0
        isContinuous = false
        hasBegun = false
    }

    /// Ends what was continuous: the source stopped.
    mutating func end() {
        isContinuous = false
        hasBegun = false
    }

    /// Appends frames; the caller has made sure that there is room.
    mutating func append(_ interleaved: Span<Int16>, channels: Int) {
        _ = ring.append(interleaved, channels: channels)
    }

    /// Takes a stretch of time off the front; what is not there is silence.
    ///
    /// - Parameters:
    ///   - frames: How much.
    ///   - output: Room for that many stereo frames or more; they are all written.
    ///   - isSending: Whether the source should be sending.
    mutating func pull(
        _ frames: Int, into output: inout MutableSpan<Int16>, isSending: Bool
    ) {
        let silent = Int(min(lead, Int64(frames)))
        silence(&output, from: 0, to: silent)
        lead -= Int64(silent)
        let played = ring.take(into: &output, at: silent, frames: frames - silent)
        silence(&output, from: silent + played, to: frames)
        let missing = frames - silent - played
        counts.played += played
        let lost = isSending && hasBegun ? missing + (isLeadLost ? silent : 0) : 0
        counts.concealed += lost
        counts.idle += silent + missing - lost
        // A source that is late: what it sends next belongs to a later moment.
        if missing > 0 { isContinuous = false }
        place += Int64(frames)
    }

    private func silence(_ output: inout MutableSpan<Int16>, from: Int, to: Int) {
        for index in (from * 2)..<(to * 2) { output[index] = 0 }
    }
}
