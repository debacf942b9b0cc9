internal import Glibc
internal import Synchronization

/// A block of a pool's memory, and the number of references to its frame.
///
/// The pool owns the memory while the count is zero; otherwise the pool's frames own it. Only the
/// pool accesses `capacity`, `heldByteCount` and `memory`, under its lock and while the count is
/// zero. The pool also reads `heldByteCount` while the count is not zero. Frames have their own
/// copy of the pointer. The count changes from zero to one under the pool's lock, after an
/// acquiring load that pairs with the releasing subtraction of the last frame. Therefore the unsafe
/// variables are safe.
final class FrameSlot: Sendable {
    /// The slot's index in the pool, from 0.
    let index: Int
    /// The owner of memory from outside the pool, kept alive; nil for the slot's own memory.
    let owner: (any AnyObject & Sendable)?
    /// Whether other processes may read the memory, and only this process can write to it.
    let isReadOnlyElsewhere: Bool

    nonisolated(unsafe) private(set) var memory: UnsafeMutableRawPointer?
    /// The length of the longest frame that fits, in bytes.
    nonisolated(unsafe) private(set) var capacity = 0
    /// The slot's memory in bytes: the allocated memory, or, for memory from outside the pool, the
    /// part that frames have used.
    nonisolated(unsafe) private(set) var heldByteCount = 0
    private let references = Atomic(0)

    /// Makes a slot that allocates its memory on demand.
    init(index: Int) {
        self.index = index
        owner = nil
        isReadOnlyElsewhere = false
    }

    /// Makes a slot of existing memory that never moves.
    init(
        index: Int, memory: UnsafeMutableRawPointer, capacity: Int,
        owner: any AnyObject & Sendable, isReadOnlyElsewhere: Bool
    ) {
        self.index = index
        self.owner = owner
        self.isReadOnlyElsewhere = isReadOnlyElsewhere
        self.memory = memory
        self.capacity = capacity
    }

    deinit { if !isGiven { free(memory) } }

    /// Whether the memory is from outside the pool.
    var isGiven: Bool { owner != nil }

    var isFree: Bool { references.load(ordering: .acquiring) == 0 }
    var isUnique: Bool { references.load(ordering: .acquiring) == 1 }

    func occupy() { references.store(1, ordering: .relaxed) }
    func retain() { references.add(1, ordering: .relaxed) }
    func release() { references.subtract(1, ordering: .acquiringAndReleasing) }

    /// Returns ``heldByteCount`` with a frame of this length; nil if the frame can never fit.
    func heldByteCount(with byteCount: Int) -> Int? {
        guard !isGiven else {
            return byteCount <= capacity
                ? max(heldByteCount, Self.rounded(byteCount, to: Self.pageByteCount)) : nil
        }
        return byteCount <= capacity ? capacity : Self.allocationByteCount(for: byteCount)
    }

    /// Grows the slot to a length if needed. Returns false, without a change, if memory runs out.
    func hold(_ byteCount: Int) -> Bool {
        if !isGiven, byteCount > capacity {
            guard let fresh = aligned_alloc(FrameLayout.alignment, byteCount) else { return false }
            // Clear the memory, as shared memory is at first, so that frames do not contain the
            // process's old data.
            memset(fresh, 0, byteCount)
            free(memory)
            memory = fresh
            capacity = byteCount
        }
        heldByteCount = byteCount
        return true
    }

    /// Returns the memory to the system; returns false if that fails. The slot stays usable.
    func discard() -> Bool {
        if isGiven {
            guard madvise(memory, heldByteCount, MADV_REMOVE) == 0 else { return false }
        } else {
            free(memory)
            memory = nil
            capacity = 0
        }
        heldByteCount = 0
        return true
    }

    static let pageByteCount = 4096

    /// Rounds up to eighths of a power of two, so that compressed images of growing length soon
    /// fit.
    private static func allocationByteCount(for byteCount: Int) -> Int {
        let eighth = 1 << max(Int.bitWidth - byteCount.leadingZeroBitCount - 3, 0)
        return rounded(byteCount, to: max(pageByteCount, eighth))
    }

    static func rounded(_ byteCount: Int, to unit: Int) -> Int {
        (byteCount + unit - 1) / unit * unit
    }
}
