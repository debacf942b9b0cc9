import Glibc
import GreenroomConversion
import GreenroomMedia
import Synchronization
import Testing

/// Shared memory, as two processes would map it, that reports when it is unmapped.
///
/// Safe to send: the address never changes, and the memory is read only while mapped.
final class Arena: @unchecked Sendable {
    let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let unmapped: Counter

    final class Counter: Sendable {
        let count = Atomic(0)
    }

    init(
        _ byteCount: Int, _ kind: Int32 = MAP_SHARED, unmapped: Counter = Counter()
    ) throws {
        self.byteCount = byteCount
        self.unmapped = unmapped
        let access = PROT_READ | PROT_WRITE
        let address = mmap(nil, byteCount, access, kind | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else {
            throw TestFailure(text: "no memory: \(errno)")
        }
        memory = address
    }

    deinit {
        munmap(memory, byteCount)
        unmapped.count.add(1, ordering: .relaxed)
    }

    /// Touched pages of a slot, according to the kernel.
    func touchedPages(from offset: Int, _ byteCount: Int) -> Int {
        var pages = [UInt8](repeating: 0, count: byteCount / 4096)
        mincore(memory + offset, byteCount, &pages)
        return pages.count { $0 & 1 == 1 }
    }
}

/// Pools in existing memory, and the memory that pools use.
@Suite struct GivenMemoryTests {
    /// 64x48 in I420 is 4608 bytes, with its rows at multiples of 64.
    private static let size = FrameSize(width: 64, height: 48)
    private static let slot = 8192

    private static let tiny = FrameSize(width: 2, height: 2)

    /// A frame that an array can hold.
    private final class Held: Sendable {
        let frame: VideoFrame
        init(_ frame: consuming VideoFrame) { self.frame = frame }
    }

    private func hold(
        _ count: Int, _ pool: FramePool, _ format: PixelFormat, _ size: FrameSize
    ) throws -> [Held] {
        try (0..<count).map { _ in Held(try takeFrame(pool, format, size)) }
    }

    private func isGiven(_ pool: FramePool, _ format: PixelFormat, _ size: FrameSize) -> Bool {
        switch pool.take(format, size) {
        case .some: true
        case .none: false
        }
    }

    @Test(arguments: PixelFormat.uncompressed)
    func `planes are at their offsets in the frame's slot`(format: PixelFormat) throws {
        let arena = try Arena(3 * 16384)
        let pool = FramePool(limit: 3, slotByteCount: 16384, memory: arena.memory, owner: arena)
        let first = try takeFrame(pool, format, Self.size)
        var second = try takeFrame(pool, format, Self.size)
        #expect(first.slotIndex == 0 && second.slotIndex == 1)
        for index in 0..<second.planeCount {
            second.fill(index) { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
            let plane = arena.memory + 16384 + second.planeOffset(index)
            #expect(plane == second.unsafePlanePointer(index))
            #expect(plane.load(fromByteOffset: 5, as: UInt8.self) == UInt8(35 + index))
            #expect(second.planeOffset(index) + second.byteCount(index) <= 16384)
        }
        let other = second.share()
        #expect(other.slotIndex == 1)
        _ = first.planeCount
    }

    @Test func `a new frame uses the lowest free slot, and no frame moves`() throws {
        let arena = try Arena(4 * Self.slot)
        let pool = FramePool(
            limit: 4, slotByteCount: Self.slot, memory: arena.memory, owner: arena)
        var first = try hold(1, pool, .i420, Self.size)
        let second = try takeFrame(pool, .i420, Self.tiny)
        withExtendedLifetime(first) {}
        first.removeAll()
        for _ in 0..<10 {
            let frame = try takeFrame(pool, .bgra, FrameSize(width: 16, height: 16))
            #expect(frame.slotIndex == 0)
            #expect(frame.unsafePlanePointer(0) == arena.memory)
        }
        let third = try takeFrame(pool, .i420, Self.size)
        let fourth = try takeFrame(pool, .i420, Self.size)
        #expect((second.slotIndex, third.slotIndex, fourth.slotIndex) == (1, 0, 2))
        #expect(pool.allocationCount == 0)
        #expect(arena.touchedPages(from: 3 * Self.slot, Self.slot) == 0)
    }

    @Test func `a frame larger than a slot is refused without side effects`() throws {
        let arena = try Arena(2 * Self.slot)
        let pool = FramePool(
            limit: 2, slotByteCount: Self.slot, memory: arena.memory, owner: arena)
        // 64 bytes a row: 128 rows fill the slot.
        #expect(isGiven(pool, .bgra, FrameSize(width: 16, height: 128)))
        #expect(!isGiven(pool, .bgra, FrameSize(width: 16, height: 129)))
        #expect(!isGiven(pool, .bgra, FrameSize(width: 8192, height: 8192)))
        #expect(pool.aliveCount == 0)
        #expect(isGiven(pool, .i420, Self.size))
    }

    @Test func `the limit is the number of slots`() throws {
        let arena = try Arena(2 * Self.slot)
        let pool = FramePool(
            limit: 2, slotByteCount: Self.slot, memory: arena.memory, owner: arena)
        let frames = try hold(2, pool, .i420, Self.size)
        #expect(!isGiven(pool, .i420, Self.size))
        #expect(pool.aliveCount == 2)
        withExtendedLifetime(frames) {}
    }

    @Test func `memory stays mapped until the last frame is released`() throws {
        let unmapped = Arena.Counter()
        func frameOfALostPool() throws -> VideoFrame {
            let arena = try Arena(Self.slot, unmapped: unmapped)
            let pool = FramePool(
                limit: 1, slotByteCount: Self.slot, memory: arena.memory, owner: arena)
            var frame = try takeFrame(pool, .i420, Self.size)
            frame.fill(0) { UInt8(truncatingIfNeeded: $0) }
            return frame
        }
        do {
            let frame = try frameOfALostPool()
            #expect(unmapped.count.load(ordering: .relaxed) == 0)
            let byte = frame.plane(0).unsafeLoad(fromByteOffset: 9, as: UInt8.self)
            #expect(byte == 9)
        }
        #expect(unmapped.count.load(ordering: .relaxed) == 1)
    }

    @Test func `a pool knows its own frames`() throws {
        let arena = try Arena(2 * Self.slot)
        let pools = [
            FramePool(limit: 1, slotByteCount: Self.slot, memory: arena.memory, owner: arena),
            FramePool(
                limit: 1, slotByteCount: Self.slot, memory: arena.memory + Self.slot, owner: arena),
            FramePool(limit: 5),
        ]
        for (index, pool) in pools.enumerated() {
            let frame = try takeFrame(pool, .i420, Self.size)
            let other = frame.share()
            var owners: [Int] = []
            for (number, pool) in pools.enumerated() where pool.owns(frame) {
                owners.append(number)
            }
            #expect(owners == [index])
            let isOther = pool.owns(other)
            #expect(isOther)
        }
    }

    // MARK: Memory of a pool

    @Test func `live frames never exceed the pool's limit of bytes`() throws {
        // 256 MiB each, which a source may request.
        let vast = FrameSize(width: 8192, height: 8192)
        let pool = FramePool(limit: 8)
        let frames = try hold(4, pool, .bgra, vast)
        #expect(!isGiven(pool, .bgra, vast))
        #expect(!isGiven(pool, .i420, Self.tiny))
        #expect(pool.heldByteCount == 1 << 30)
        withExtendedLifetime(frames) {}
    }

    @Test func `memory of released frames makes room for others`() throws {
        let pool = FramePool(limit: 4, byteLimit: 100_000)
        // 16384 bytes, and 65536.
        let small = FrameSize(width: 64, height: 64)
        let large = FrameSize(width: 128, height: 128)
        var frames = try hold(3, pool, .bgra, small)
        #expect(!isGiven(pool, .bgra, large))
        #expect(pool.heldByteCount == 3 * 16384)
        withExtendedLifetime(frames) {}
        frames.removeAll()
        #expect(pool.heldByteCount == 3 * 16384)
        frames = try hold(1, pool, .bgra, large)
        #expect(pool.heldByteCount == 65536 + 2 * 16384)
        #expect(isGiven(pool, .bgra, small))
        #expect(!isGiven(pool, .bgra, large))
        withExtendedLifetime(frames) {}
    }

    @Test func `a small frame in a large slot counts with the size of the slot`() throws {
        let large = FrameSize(width: 128, height: 128)
        let pool = FramePool(limit: 8, byteLimit: 3 * 65536)
        var frames = try hold(3, pool, .bgra, large)
        // These reuse the memory of the three.
        withExtendedLifetime(frames) {}
        frames.removeAll()
        frames = try hold(3, pool, .bgra, Self.tiny)
        #expect(!isGiven(pool, .bgra, large))
        #expect(!isGiven(pool, .bgra, Self.tiny))
        #expect(pool.heldByteCount == 3 * 65536)
        withExtendedLifetime(frames) {}
    }

    @Test
    func `a free slot beyond the limit returns memory to the machine, and is reused`() throws {
        let arena = try Arena(2 * Self.slot)
        let pool = FramePool(
            limit: 2, slotByteCount: Self.slot, memory: arena.memory, owner: arena,
            byteLimit: Self.slot + 4096)
        let whole = FrameSize(width: 32, height: 64)
        var first = try hold(1, pool, .bgra, Self.tiny)
        do {
            var second = try takeFrame(pool, .bgra, whole)
            second.fill(0) { _ in 7 }
            #expect(second.slotIndex == 1)
        }
        #expect(arena.touchedPages(from: Self.slot, Self.slot) == 2)
        withExtendedLifetime(first) {}
        first.removeAll()
        // Two full slots exceed the limit: the free one must shrink.
        do {
            var frame = try takeFrame(pool, .bgra, whole)
            frame.fill(0) { _ in 9 }
            #expect(frame.slotIndex == 0)
            #expect(arena.touchedPages(from: Self.slot, Self.slot) == 0)
            #expect(!isGiven(pool, .bgra, whole))
            var again = try takeFrame(pool, .bgra, Self.tiny)
            again.fill(0) { _ in 5 }
            #expect(again.slotIndex == 1)
            #expect(again.plane(0).unsafeLoad(as: UInt8.self) == 5)
            #expect(frame.plane(0).unsafeLoad(as: UInt8.self) == 9)
        }
        #expect(pool.heldByteCount == Self.slot + 4096)
    }

    @Test func `memory that can't be returned is not counted as free`() throws {
        // Private memory can't be removed from a mapping.
        let arena = try Arena(2 * Self.slot, MAP_PRIVATE)
        let pool = FramePool(
            limit: 2, slotByteCount: Self.slot, memory: arena.memory, owner: arena,
            byteLimit: Self.slot + 4096)
        let whole = FrameSize(width: 32, height: 64)
        do {
            let first = try hold(1, pool, .bgra, Self.tiny)
            #expect(isGiven(pool, .bgra, whole))
            withExtendedLifetime(first) {}
        }
        #expect(!isGiven(pool, .bgra, whole))
        #expect(isGiven(pool, .bgra, Self.tiny))
    }
}
