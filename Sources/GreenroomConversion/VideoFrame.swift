public import GreenroomMedia

/// A counted reference to a frame of a ``FramePool``.
///
/// The memory goes back to the pool when the last reference ends. References share the
/// pixels; each has its own ``info``. Pixels are written while the reference is the only one.
///
/// Threads: a reference may move between threads; two references may be read on two threads
/// at once.
public struct VideoFrame: ~Copyable, Sendable {
    /// The layout of the pixels.
    public let format: PixelFormat
    /// The visible size, before any rotation.
    public let size: FrameSize
    /// What the frame says of itself; this reference's own.
    public var info = FrameInfo()

    let layout: FrameLayout
    let slot: FrameSlot
    /// Safe to send: the slot keeps the memory alive and in place for as long as the count
    /// is not zero, and this reference is counted.
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer

    /// Takes over one count of the slot.
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

    /// Which slot of its pool it lies in, from 0: by this another process that maps the pool's
    /// memory finds it.
    package var slotIndex: Int { slot.index }

    /// Whether it lies in memory that the pool was given, which others may write to meanwhile.
    package var isInGivenMemory: Bool { slot.isGiven }

    /// Another reference to the same pixels.
    public borrowing func share() -> VideoFrame { share(as: format) }

    /// Another reference that calls the pixels by another name of the same layout.
    borrowing func share(as format: PixelFormat) -> VideoFrame {
        slot.retain()
        var other = VideoFrame(slot: slot, memory: memory, format, size, layout)
        other.info = info
        return other
    }
}

extension VideoFrame {
    /// Bytes from a row to the next: a multiple of 64, or 0 for a compressed format.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public func strideBytes(_ index: Int) -> Int { layout.strides[index] }

    /// Bytes from the first pixel of a plane to its last, padding between rows included; for
    /// a compressed format the length of the data.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public func byteCount(_ index: Int) -> Int { layout.byteCounts[index] }

    /// Bytes from the beginning of the frame's slot to the first pixel of a plane.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    package func planeOffset(_ index: Int) -> Int { layout.offsets[index] }

    /// A plane to read.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    @_lifetime(borrow self)
    public func plane(_ index: Int) -> RawSpan {
        let span = RawSpan(_unsafeStart: unsafePlanePointer(index), byteCount: byteCount(index))
        return _overrideLifetime(span, borrowing: self)
    }

    /// A plane to write. The reference must be the only one; see ``isUnique``.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    @_lifetime(&self)
    public mutating func mutablePlane(_ index: Int) -> MutableRawSpan {
        precondition(isUnique, "a shared frame must not be written: copy it first")
        let span = MutableRawSpan(
            _unsafeStart: unsafePlanePointer(index), byteCount: byteCount(index))
        return _overrideLifetime(span, mutating: &self)
    }

    /// The first byte of a plane, for the C border alone: valid while a reference lives, to be
    /// written only while it is the only one.
    ///
    /// - Parameter index: The plane, 0 to ``planeCount`` − 1.
    public borrowing func unsafePlanePointer(_ index: Int) -> UnsafeMutableRawPointer {
        precondition((0..<planeCount).contains(index), "\(format) has no plane \(index)")
        return memory + layout.offsets[index]
    }
}
