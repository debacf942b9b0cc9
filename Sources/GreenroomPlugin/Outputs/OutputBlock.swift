public import GreenroomMedia

/// A block of audio for an ``Output``, to read until ``Output/onAudio(_:)`` returns.
public struct OutputBlock: ~Copyable {
    /// The track of the block.
    public let track: Track
    /// The wanted sample rate and channels.
    public let format: AudioFormat
    /// The index of its first sample, from 0 at the start of the track.
    public let index: Int64
    /// The time of that sample on the session clock.
    public let timeNanoseconds: Int64

    private let memory: UnsafeBufferPointer<Int16>

    init(
        track: Track, format: AudioFormat, index: Int64, timeNanoseconds: Int64,
        memory: UnsafeBufferPointer<Int16>
    ) {
        self.track = track
        self.format = format
        self.index = index
        self.timeNanoseconds = timeNanoseconds
        self.memory = memory
    }

    /// Samples of each channel; fewer than wanted only in the last block of a track.
    public var frameCount: Int { memory.count / max(format.channels, 1) }

    /// 16-bit samples, channels interleaved.
    public var samples: Span<Int16> {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(Span(_unsafeElements: memory), borrowing: self)
        }
    }
}

// The samples are read-only, even for the host while they are lent, and a borrowed block does not
// outlive the callback.
extension OutputBlock: @unchecked Sendable {}
