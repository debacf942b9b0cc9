public import GreenroomMedia

/// A counted reference to a frame of a ``FramePool``.
///
/// Releasing the last reference returns the memory to the pool. References share the pixels, but
/// each has its own ``info``. Only a unique reference may write pixels.
///
/// Threads: a reference may move between threads. Several threads may read through different
/// references.
public struct VideoFrame: ~Copyable, Sendable {
    /// The pixel format.
    public let format: PixelFormat
    /// The visible size, before any rotation.
    public let size: FrameSize
    /// The frame's description. Each reference has its own description.
    public var info = FrameInfo()

    let layout: FrameLayout
    let slot: FrameSlot
    /// Safe to send: the slot keeps the memory alive and fixed while the count is not zero, and the
    /// count includes this reference.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// Makes a reference that owns one count of the slot.
    init(
        slot: FrameSlot, memory: UnsafeMutableRawPointer, _ format: PixelFormat,
        _ size: FrameSize, _ layout: FrameLayout
    ) {
        self.slot = slot
        self.memory = memory
        self.format = format
        self.size = size
        self.layout = layout
    }

    deinit { slot.release() }

    /// The number of planes, 1 to 3.
    public var planeCount: Int { format.planeCount }

    /// Whether this is the only reference to the pixels.
    public var isUnique: Bool { slot.isUnique }

    /// The index of the frame's slot in the pool, from 0. Another process with the pool's memory
    /// uses the index to find the frame.
    package var slotIndex: Int { slot.index }

    /// Whether the frame is in memory from outside the pool, which other processes may write at any
    /// time.
    package var isInGivenMemory: Bool { slot.isGiven && !slot.isReadOnlyElsewhere }

    /// The memory of the frame's pixels, if other processes may read it and only this process can
    /// write to it; nil otherwise.
    package var sharedMemory: (any AnyObject & Sendable)? {
        slot.isReadOnlyElsewhere ? slot.owner : nil
    }

    /// Whether ``sharedMemory`` is not nil.
    package var isInSharedMemory: Bool { slot.isReadOnlyElsewhere }

    /// Whether both references are to the same pixels.
    package borrowing func hasSamePixels(as other: borrowing VideoFrame) -> Bool {
        slot === other.slot
    }

    /// Returns another reference to the same pixels.
    public borrowing func share() -> VideoFrame { share(as: format) }

    /// Returns another reference, which treats the pixels as another format with the same layout.
    borrowing func share(as format: PixelFormat) -> VideoFrame {
        slot.retain()
        var other = VideoFrame(slot: slot, memory: memory, format, size, layout)
        other.info = info
        return other
    }
}

extension VideoFrame {
    /// Returns the number of bytes from a row to the next: a multiple of 64; 0 for a compressed
    /// format.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public func strideBytes(_ index: Int) -> Int { layout.strides[index] }

    /// Returns the number of bytes from the first pixel of a plane to the last, including padding
    /// between rows; for a compressed format, the length of the data.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public func byteCount(_ index: Int) -> Int { layout.byteCounts[index] }

    /// The sum of ``byteCount(_:)`` over all planes.
    package var byteCount: Int { (0..<planeCount).reduce(0) { $0 + byteCount($1) } }

    /// Returns the offset of a plane's first pixel in the frame's slot.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    package func planeOffset(_ index: Int) -> Int { layout.offsets[index] }

    /// Returns a plane for reading.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    @_lifetime(borrow self)
    public func plane(_ index: Int) -> RawSpan {
        let span = RawSpan(_unsafeStart: unsafePlanePointer(index), byteCount: byteCount(index))
        return _overrideLifetime(span, borrowing: self)
    }

    /// Returns a plane for writing. The reference must be unique; see ``isUnique``.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    @_lifetime(&self)
    public mutating func mutablePlane(_ index: Int) -> MutableRawSpan {
        precondition(isUnique, "a shared frame must not be written: copy it first")
        let span = MutableRawSpan(
            _unsafeStart: unsafePlanePointer(index), byteCount: byteCount(index))
        return _overrideLifetime(span, mutating: &self)
    }

    /// Returns the first byte of a plane, for calls of C. The pointer is valid while a reference is
    /// alive. Write only through a unique reference.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public borrowing func unsafePlanePointer(_ index: Int) -> UnsafeMutableRawPointer {
        precondition((0..<planeCount).contains(index), "\(format) has no plane \(index)")
        return memory + layout.offsets[index]
    }
}
