public import GreenroomMedia
internal import Synchronization

/// A bounded pool of frames whose memory is used again and again.
///
/// Frames of any format and size come out of one pool. Memory is allocated while the pool
/// warms up, and again when frames grow; from then on ``take(_:_:compressedByteCount:)`` and
/// giving back allocate nothing. A frame may outlive its pool.
///
/// Threads: any, at once. Giving back is one atomic subtraction; taking holds a lock for a
/// search among at most `limit` slots.
public final class FramePool: Sendable {
    /// The most frames alive at once.
    public let limit: Int
    /// The most bytes of memory that the pool holds, for frames alive and for those to come.
    public let byteLimit: Int

    /// What a pool holds at most unless it is told otherwise: 1 GiB. A source may send frames of
    /// 256 MiB each.
    public static let ordinaryByteLimit = 1 << 30

    private let guarding: FrameGuarding?
    private let slots: [FrameSlot]
    /// How often memory was allocated. Its lock also makes takers wait for each other.
    private let allocations = Mutex(0)

    /// Makes an empty pool.
    ///
    /// - Parameters:
    ///   - limit: The most frames alive at once, at least 1.
    ///   - byteLimit: The most bytes of memory that the pool holds.
    public init(limit: Int, byteLimit: Int = FramePool.ordinaryByteLimit) {
        self.limit = max(limit, 1)
        self.byteLimit = byteLimit
        guarding = nil
        slots = (0..<self.limit).map { FrameSlot(index: $0) }
    }

    /// Makes a pool of memory that is there, in slots of one length that never move.
    ///
    /// The lowest free slot is taken each time, so that of memory which comes into being when it
    /// is touched no more does than is used.
    ///
    /// - Parameters:
    ///   - limit: The number of slots, at least 1.
    ///   - slotByteCount: From a slot to the next: a multiple of 4096 bytes. A frame that is
    ///     longer is not to be had.
    ///   - memory: `limit * slotByteCount` bytes, readable and writable, at the beginning of a
    ///     page. What is held beyond the limit is given back to the machine page by page, which is
    ///     for shared memory alone.
    ///   - owner: What keeps the memory there; it lives as long as the pool and every frame.
    ///   - byteLimit: The most bytes of the memory that frames use.
    ///   - guarding: How frames lie that plugins are watched with; nil for as tight as may be.
    package init(
        limit: Int, slotByteCount: Int, memory: UnsafeMutableRawPointer,
        owner: any AnyObject & Sendable, byteLimit: Int = FramePool.ordinaryByteLimit,
        guarding: FrameGuarding? = nil
    ) {
        precondition(limit > 0 && slotByteCount > 0, "a pool of given memory has slots")
        precondition(
            slotByteCount % FrameSlot.pageByteCount == 0
                && Int(bitPattern: memory) % FrameSlot.pageByteCount == 0,
            "slots begin where pages begin")
        self.limit = limit
        self.byteLimit = byteLimit
        self.guarding = guarding
        slots = (0..<limit).map { index in
            FrameSlot(
                index: index, memory: memory + index * slotByteCount, capacity: slotByteCount,
                owner: owner)
        }
    }

    /// How often memory was allocated: constant in steady state.
    public var allocationCount: Int { allocations.withLock { $0 } }

    /// Frames alive now; another thread may change it at any time.
    public var aliveCount: Int { slots.count { !$0.isFree } }

    /// The bytes of memory that the pool holds, for frames alive and for those to come.
    public var heldByteCount: Int {
        allocations.withLock { _ in slots.reduce(0) { $0 + $1.heldByteCount } }
    }

    /// The longest compressed picture that a frame may hold, in bytes: that of the same
    /// picture uncompressed, and 1 MiB for whatever a camera puts into its headers.
    public static func maximumCompressedByteCount(of size: FrameSize) -> Int {
        4 * size.area + (1 << 20)
    }

    /// Takes a frame, its pixels undefined and its info the default.
    ///
    /// - Parameters:
    ///   - format: The layout of its pixels.
    ///   - size: The visible size, before any rotation.
    ///   - compressedByteCount: For a compressed format the bytes it will hold, else ignored.
    /// - Returns: nil where `limit` frames are alive, the pool would hold more than `byteLimit`
    ///   bytes, the size is illegal, the compressed length is zero or beyond
    ///   ``maximumCompressedByteCount(of:)``, memory has run out, or the frame is longer than the
    ///   slots of memory that was given.
    public func take(
        _ format: PixelFormat, _ size: FrameSize, compressedByteCount: Int = 0
    ) -> VideoFrame? {
        guard
            let layout = FrameLayout(
                format: format, size: size, compressedByteCount: compressedByteCount,
                guarding: guarding),
            let slot = takeSlot(byteCount: layout.totalByteCount)
        else { return nil }
        return VideoFrame(slot: slot.slot, memory: slot.memory, format, size, layout)
    }

    /// Whether a frame came out of this pool.
    package func owns(_ frame: borrowing VideoFrame) -> Bool {
        slots.indices.contains(frame.slot.index) && slots[frame.slot.index] === frame.slot
    }

    /// The best slot is the smallest that is large enough; then one that has no memory yet;
    /// then the largest, which grows: so that sizes that alternate end in a steady state. Of equals
    /// it is the first.
    private func takeSlot(
        byteCount: Int
    ) -> (slot: FrameSlot, memory: UnsafeMutableRawPointer)? {
        allocations.withLock { allocationCount in
            var best: FrameSlot?
            for slot in slots where slot.isFree {
                guard let other = best else {
                    best = slot
                    continue
                }
                if Self.prefers(slot.capacity, to: other.capacity, for: byteCount) { best = slot }
            }
            guard let best, let held = best.heldByteCount(with: byteCount) else { return nil }
            let capacity = best.capacity
            if held > best.heldByteCount {
                guard makeRoom(for: held, in: best), best.hold(held) else { return nil }
            }
            if best.capacity > capacity { allocationCount += 1 }
            guard let memory = best.memory else { return nil }
            best.occupy()
            return (best, memory)
        }
    }

    private static func prefers(_ one: Int, to other: Int, for byteCount: Int) -> Bool {
        switch (one >= byteCount, other >= byteCount) {
        case (true, true): one < other
        case (true, false): true
        case (false, true): false
        case (false, false): other != 0 && (one == 0 || one > other)
        }
    }

    /// Gives the memory of free slots back to the machine, the largest first, until a slot may hold
    /// more; false where frames that are alive leave too little.
    private func makeRoom(for byteCount: Int, in growing: FrameSlot) -> Bool {
        var held = byteCount
        var heldByFree = 0
        for slot in slots where slot !== growing {
            held += slot.heldByteCount
            if slot.isFree { heldByFree += slot.heldByteCount }
        }
        guard held - heldByFree <= byteLimit else { return false }
        while held > byteLimit {
            let largest = slots.lazy.filter { $0 !== growing && $0.isFree }
                .max { $0.heldByteCount < $1.heldByteCount }
            guard let largest, largest.heldByteCount > 0 else { return false }
            held -= largest.heldByteCount
            guard largest.discard() else { return false }
        }
        return true
    }
}

extension FramePool {
    /// Why the pool may have no frame of a kind, for people; the same each time.
    package func explainLack(of format: PixelFormat, _ size: FrameSize) -> String {
        "there is no room for a frame of \(format.name) \(size): at most \(limit) frames and "
            + "\(byteLimit / 1_000_000) MB may be in use"
    }
}
