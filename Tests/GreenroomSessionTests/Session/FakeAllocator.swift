import GreenroomConversion
import GreenroomMedia
import Synchronization

/// Allocates the frames of isolated outputs in memory of this process, and knows which are in use.
final class FakeAllocator: FrameAllocator {
    /// Memory of a block. Safe to send: the address never changes.
    final class Memory: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
        init(_ byteCount: Int) {
            base = .allocate(byteCount: byteCount, alignment: 4096)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        }
        deinit { base.deallocate() }
    }

    private struct Block {
        weak var pool: FramePool?
    }

    private let blocks = Mutex<[Block]>([])
    private let limit: Int

    /// - Parameter limit: The most blocks.
    init(limit: Int = .max) { self.limit = limit }

    /// The blocks that were made.
    var made: Int { blocks.withLock { $0.count } }

    /// The frames that are in use, of blocks from which frames are still taken.
    var inUse: Int {
        let pools = blocks.withLock { $0.compactMap(\.pool) }
        return pools.reduce(0) { $0 + $1.aliveCount }
    }

    func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool? {
        guard made < limit, let slot = FramePool.slotByteCount(of: format, size) else {
            return nil
        }
        let memory = Memory(count * slot)
        let pool = FramePool(
            limit: count, slotByteCount: slot, memory: memory.base, owner: memory,
            byteLimit: .max, isReadOnlyElsewhere: true)
        blocks.withLock { $0.append(Block(pool: pool)) }
        return pool
    }
}
