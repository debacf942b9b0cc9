import GreenroomConversion
import GreenroomMedia
import Synchronization

@testable import GreenroomVideo

/// Allocates blocks of frames for isolated outputs in memory of this process.
final class BlockAllocator: FrameAllocator {
    /// Memory of a block. Safe to send: the address never changes.
    final class Block: @unchecked Sendable {
        /// Its place among all of the allocator.
        let number: Int
        let base: UnsafeMutableRawPointer

        init(_ number: Int, _ byteCount: Int) {
            self.number = number
            base = .allocate(byteCount: byteCount, alignment: 4096)
            base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        }

        deinit { base.deallocate() }
    }

    private let made = Mutex(0)

    func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool? {
        guard let slot = FramePool.slotByteCount(of: format, size) else { return nil }
        let number = made.withLock { made in
            defer { made += 1 }
            return made
        }
        let block = Block(number, count * slot)
        return FramePool(
            limit: count, slotByteCount: slot, memory: block.base, owner: block,
            byteLimit: .max, isReadOnlyElsewhere: true)
    }
}

/// A sink of an isolated output that records the blocks of the frames that it gets.
final class MemorySink: VideoSink {
    let pace = OutputPace.asTheyCome
    let allocator: (any FrameAllocator)?
    private let state = Mutex<Set<Int>>([])

    init(_ allocator: BlockAllocator) { self.allocator = allocator }

    var plugin: Int { 7 }
    /// The numbers of the blocks.
    var blocks: Set<Int> { state.withLock { $0 } }

    func write(_ frame: borrowing VideoFrame, for periods: FramePeriods) throws {
        guard let block = frame.sharedMemory as? BlockAllocator.Block else { return }
        let number = block.number
        state.withLock { _ = $0.insert(number) }
    }

    func finish() throws {}
}
