public import GreenroomMedia
internal import Synchronization

/// A bounded pool of frames that reuses memory.
///
/// One pool serves all formats and sizes. The pool allocates memory at first, and when frames grow.
/// After that, ``take(_:_:compressedByteCount:)`` and releasing do not allocate. A frame may
/// outlive its pool.
///
/// Threads: any, concurrently. Releasing a frame is one atomic subtraction. Taking a frame locks
/// for a search of at most `limit` slots.
public final class FramePool: Sendable {
    /// Limit of live frames.
    public let limit: Int
    /// Limit of memory in bytes, for live and free frames.
    public let byteLimit: Int

    /// The default limit of memory: 1 GiB. A source may send frames of 256 MiB each.
    public static let ordinaryByteLimit = 1 << 30

    private let guarding: FrameGuarding?
    private let slots: [FrameSlot]
    /// The number of allocations. The lock also serialises takers.
    private let allocations = Mutex(0)

    /// Makes an empty pool.
    ///
    /// - Parameters:
    ///   - limit: Limit of live frames, at least 1.
    ///   - byteLimit: Limit of memory in bytes.
    public init(limit: Int, byteLimit: Int = FramePool.ordinaryByteLimit) {
        self.limit = max(limit, 1)
        self.byteLimit = byteLimit
        guarding = nil
        slots = (0..<self.limit).map { FrameSlot(index: $0) }
    }

    /// Makes a pool in existing memory, with slots of one size that never move.
    ///
    /// The pool takes the lowest free slot, so that few pages use memory.
    ///
    /// - Parameters:
    ///   - limit: The number of slots, at least 1.
    ///   - slotByteCount: The size of a slot: a multiple of 4096 bytes. The pool refuses longer
    ///     frames.
    ///   - memory: `limit * slotByteCount` bytes, readable and writable, page-aligned. The pool
    ///     returns pages beyond the byte limit to the system, which works only for shared memory.
    ///   - owner: The owner of the memory, which lives as long as the pool and every frame.
    ///   - byteLimit: Limit of memory in use, in bytes.
    ///   - guarding: The layout for watching plugins; nil for the compact layout.
    ///   - isReadOnlyElsewhere: Whether other processes may read the memory, and only this process
    ///     can write to it.
    package init(
        limit: Int, slotByteCount: Int, memory: UnsafeMutableRawPointer,
        owner: any AnyObject & Sendable, byteLimit: Int = FramePool.ordinaryByteLimit,
        guarding: FrameGuarding? = nil, isReadOnlyElsewhere: Bool = false
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
                owner: owner, isReadOnlyElsewhere: isReadOnlyElsewhere)
        }
    }

    /// The number of allocations, which is constant in steady state.
    public var allocationCount: Int { allocations.withLock { $0 } }

    /// The number of live frames. Other threads may change it at any time.
    public var aliveCount: Int { slots.count { !$0.isFree } }

    /// Memory of the pool in bytes, for live and free frames.
    public var heldByteCount: Int {
        allocations.withLock { _ in slots.reduce(0) { $0 + $1.heldByteCount } }
    }

    /// Returns the size of a slot for frames of a format and size, in whole pages; nil if the size
    /// is illegal or the format is compressed.
    package static func slotByteCount(
        of format: PixelFormat, _ size: FrameSize, guarding: FrameGuarding? = nil
    ) -> Int? {
        guard !format.isCompressed,
            let layout = FrameLayout(
                format: format, size: size, compressedByteCount: 0, guarding: guarding)
        else { return nil }
        return FrameSlot.rounded(layout.totalByteCount, to: FrameSlot.pageByteCount)
    }

    /// Returns the largest length of a compressed image, in bytes: the size of the uncompressed
    /// image, and 1 MiB for headers.
    public static func maximumCompressedByteCount(of size: FrameSize) -> Int {
        4 * size.area + (1 << 20)
    }

    /// Takes a frame. The frame's pixels are undefined, and its info is the default.
    ///
    /// - Parameters:
    ///   - format: The layout of the frame's pixels.
    ///   - size: The visible size, before any rotation.
    ///   - compressedByteCount: The length of a compressed image; ignored for other formats.
    /// - Returns: nil if `limit` frames are live, memory would exceed `byteLimit`, the size is
    ///   illegal, the compressed length is zero or above ``maximumCompressedByteCount(of:)``,
    ///   allocation fails, or the frame is larger than a slot of existing memory.
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

    /// Whether a frame is from this pool.
    package func owns(_ frame: borrowing VideoFrame) -> Bool {
        slots.indices.contains(frame.slot.index) && slots[frame.slot.index] === frame.slot
    }

    /// Takes a free slot. Prefers the smallest slot that is large enough, then a slot without
    /// memory, then the largest slot, which grows. Therefore alternating sizes reach a steady
    /// state. Among equal slots, prefers the first.
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

    /// Frees the memory of free slots, largest first, until a slot may grow; returns false if live
    /// frames use too much.
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
    /// Takes a frame as ``take(_:_:compressedByteCount:)`` does.
    ///
    /// - Throws: ``ConversionError/Code/noBuffer`` if ``take(_:_:compressedByteCount:)`` returns
    ///   nil.
    func takeRequired(
        _ format: PixelFormat, _ size: FrameSize, compressedByteCount: Int = 0
    ) throws(ConversionError) -> VideoFrame {
        guard let frame = take(format, size, compressedByteCount: compressedByteCount) else {
            throw .noBuffer(explainLack(of: format, size))
        }
        return frame
    }

    /// Returns the reason for which the pool may lack a frame of a kind. The text depends only on
    /// the arguments.
    package func explainLack(of format: PixelFormat, _ size: FrameSize) -> String {
        "no room for a frame of \(format.name) \(size): at most \(limit) frames and "
            + "\(byteLimit / 1_000_000) MB may be in use"
    }
}
