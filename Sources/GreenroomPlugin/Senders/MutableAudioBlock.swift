/// A block of audio in the host's memory, for an ``AudioPreProcessor`` to edit: 10 ms of 48 kHz.
public struct MutableAudioBlock: ~Copyable {
    /// 1 or 2, as the filter has declared.
    public let channels: Int
    /// The time of the first sample on the session clock.
    public let timeNanoseconds: Int64
    /// Whether the block has a ``reference``.
    public let hasReference: Bool

    private let memory: UnsafeMutableBufferPointer<Int16>
    private let referenceMemory: UnsafeBufferPointer<Int16>

    init(
        channels: Int, timeNanoseconds: Int64, memory: UnsafeMutableBufferPointer<Int16>,
        reference: UnsafeBufferPointer<Int16>?
    ) {
        self.channels = channels
        self.timeNanoseconds = timeNanoseconds
        self.memory = memory
        hasReference = reference != nil
        referenceMemory = reference ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Samples of each channel.
    public var frameCount: Int { memory.count / channels }

    /// 16-bit samples to edit, channels interleaved.
    public var samples: MutableSpan<Int16> {
        @_lifetime(&self) mutating get {
            unsafe _overrideLifetime(MutableSpan(_unsafeElements: memory), mutating: &self)
        }
    }

    /// The participants' audio of the latest 10 ms, in as many samples. Empty without a call, or if the
    /// filter does not declare it.
    public var reference: Span<Int16> {
        @_lifetime(borrow self) get {
            unsafe _overrideLifetime(Span(_unsafeElements: referenceMemory), borrowing: self)
        }
    }
}

// The holder of the block has the only reference to its memory: it cannot be copied, and the host
// leaves the memory alone until the callback returns.
extension MutableAudioBlock: @unchecked Sendable {}
