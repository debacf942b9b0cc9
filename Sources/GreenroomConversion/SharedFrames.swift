package import GreenroomMedia

/// Allocates frames in memory that plugins' processes may read, and none of them can write to.
package protocol FrameAllocator: Sendable {
    /// Makes a pool; nil if there is no memory.
    ///
    /// - Parameters:
    ///   - count: The number of its frames.
    ///   - format: The format of all of them, which is not compressed.
    ///   - size: The size of all of them.
    func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool?
}

/// Frames of one format and size in memory that plugins' processes read: blocks of 8 frames, as many
/// as frames have been in use at a time.
///
/// What a process can read is a whole block, and a block has frames of one use alone.
package struct SharedFrames: Sendable {
    /// The frames of a block.
    package static let blockFrames = 8

    private let allocator: any FrameAllocator
    private var kind: (format: PixelFormat, size: FrameSize)?
    /// A block whose frames are in use lives without this as long as they do.
    private var blocks: [FramePool] = []

    /// Without memory.
    package init(_ allocator: any FrameAllocator) { self.allocator = allocator }

    /// A block with room for a frame; nil if all are in use, or there is no memory.
    ///
    /// Only the caller takes frames of it. A block is reused until the format or the size changes: a
    /// process could keep the memory of a freed one.
    ///
    /// - Parameter limit: Limit of blocks. Blocks beyond the first also fit into
    ///   ``FramePool/ordinaryByteLimit``.
    package mutating func block(
        for format: PixelFormat, _ size: FrameSize, limit: Int
    ) -> FramePool? {
        if kind?.format != format || kind?.size != size {
            kind = (format, size)
            blocks = []
        }
        for block in blocks where block.aliveCount < block.limit { return block }
        guard blocks.count < limit, let slot = FramePool.slotByteCount(of: format, size),
            blocks.isEmpty
                || (blocks.count + 1) * Self.blockFrames * slot <= FramePool.ordinaryByteLimit,
            let block = allocator.allocate(Self.blockFrames, format, size)
        else { return nil }
        blocks.append(block)
        return block
    }
}
