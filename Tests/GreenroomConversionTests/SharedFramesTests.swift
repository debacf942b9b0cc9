import GreenroomConversion
import GreenroomMedia
import Synchronization
import Testing

/// Frames in blocks of memory that plugins' processes read.
@Suite struct SharedFramesTests {
    /// Allocates in memory of this process, and counts the blocks that live.
    private final class Allocator: FrameAllocator {
        let freed = Arena.Counter()
        let made = Mutex(0)
        let limit: Int

        init(limit: Int = .max) { self.limit = limit }

        var alive: Int { made.withLock { $0 } - freed.count.load(ordering: .relaxed) }

        func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool? {
            guard alive < limit, let slot = FramePool.slotByteCount(of: format, size),
                let arena = try? Arena(count * slot, unmapped: freed)
            else { return nil }
            made.withLock { $0 += 1 }
            return FramePool(
                limit: count, slotByteCount: slot, memory: arena.memory, owner: arena,
                byteLimit: .max, isReadOnlyElsewhere: true)
        }
    }

    private final class Held: Sendable {
        let frame: VideoFrame
        init(_ frame: consuming VideoFrame) { self.frame = frame }
    }

    private static let size = FrameSize(width: 64, height: 48)

    private func take(
        _ count: Int, _ frames: inout SharedFrames, _ format: PixelFormat = .i420,
        _ size: FrameSize = Self.size, limit: Int = 100
    ) -> [Held] {
        var held: [Held] = []
        for _ in 0..<count {
            if let frame = frames.block(for: format, size, limit: limit)?.take(format, size) {
                held.append(Held(frame))
            }
        }
        return held
    }

    @Test func `shared memory grows by blocks of eight frames, and free blocks are reused`() {
        let allocator = Allocator()
        var frames = SharedFrames(allocator)
        for _ in 0..<100 { #expect(take(3, &frames).count == 3) }
        #expect(allocator.made.withLock { $0 } == 1)
        var held = take(20, &frames)
        #expect(held.count == 20 && allocator.alive == 3)
        #expect(held.allSatisfy { $0.frame.isInSharedMemory && $0.frame.sharedMemory is Arena })
        held.removeLast(17)
        for _ in 0..<3 { _ = take(1, &frames) }
        held = take(20, &frames)
        #expect(held.count == 20 && allocator.alive == 3)
        #expect(allocator.made.withLock { $0 } == 3)
    }

    @Test func `blocks of large frames are limited by their bytes`() {
        var large = SharedFrames(Allocator())
        // Of 64 MiB: two blocks have 1 GiB.
        #expect(take(30, &large, .rgba, FrameSize(width: 4096, height: 4096)).count == 16)
        var odd = SharedFrames(Allocator())
        #expect(take(30, &odd, .rgba, FrameSize(width: 5120, height: 4096)).count == 8)
    }

    @Test func `a frame keeps its block alive`() throws {
        let allocator = Allocator()
        var frames: SharedFrames? = SharedFrames(allocator)
        var held: [Held] = []
        if var made = frames.take() {
            held = take(1, &made)
        }
        #expect(allocator.alive == 1)
        withExtendedLifetime(held) {}
        held = []
        #expect(held.isEmpty && allocator.alive == 0)
    }

    @Test func `frames of another format or size get a separate block`() {
        let allocator = Allocator()
        var frames = SharedFrames(allocator)
        let first = take(1, &frames)
        let second = take(1, &frames, .rgba)
        let third = take(1, &frames, .rgba, FrameSize(width: 1920, height: 1080))
        let held = first + second + third
        let memory = held.compactMap { $0.frame.sharedMemory }
        #expect(Set(memory.map { ObjectIdentifier($0) }).count == 3)
        #expect(allocator.alive == 3)
        withExtendedLifetime(held) {}
    }

    @Test func `the given limit and the memory limit the number of blocks`() {
        var frames = SharedFrames(Allocator())
        #expect(take(30, &frames, limit: 2).count == 16)
        var poor = SharedFrames(Allocator(limit: 1))
        #expect(take(30, &poor).count == 8)
        var compressed = SharedFrames(Allocator())
        #expect(take(1, &compressed, .mjpeg).isEmpty)
    }

    @Test func `a frame of an ordinary pool is not in shared memory`() throws {
        let arena = try Arena(8192)
        let pool = FramePool(limit: 1, slotByteCount: 8192, memory: arena.memory, owner: arena)
        for pool in [pool, FramePool(limit: 1)] {
            var isShared: Bool?
            if let frame = pool.take(.i420, Self.size) {
                isShared = frame.isInSharedMemory || frame.sharedMemory != nil
            }
            #expect(isShared == false)
        }
    }
}
