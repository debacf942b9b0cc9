package import GreenroomMedia

/// Allocates frames in memory that plugins' processes may read but cannot write to.
package protocol FrameAllocator: Sendable {
    /// Makes a pool; nil if there is no memory.
    ///
    /// - Parameters:
    ///   - count: The number of frames in the pool.
    ///   - format: The format of all frames, which is not compressed.
    ///   - size: The size of all frames.
    func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool?
}

/// Frames of one format and size in memory that plugins' processes read. The memory consists of
/// blocks of 8 frames. The number of blocks follows the largest number of frames in use at a time.
///
/// A process can always read a whole block, so the frames of a block all have the same use.
package struct SharedFrames: Sendable {
    /// The number of frames in a block.
    package static let blockFrames = 8

    private let allocator: any FrameAllocator
    private var kind: (format: PixelFormat, size: FrameSize)?
    /// The blocks. A removed block stays alive while its frames are in use.
    private var blocks: [FramePool] = []

    /// Makes an empty set of blocks.
    package init(_ allocator: any FrameAllocator) { self.allocator = allocator }

    /// Returns a block for a frame; nil if all blocks are in use or memory runs out.
    ///
    /// Only the caller takes frames of the block. A block is reused until the format or the size
    /// changes, because a process could keep the memory of a freed block.
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
