internal import Glibc
internal import Synchronization

/// A block of memory of a pool, and the number of frames that refer to it.
///
/// The memory is owned by the pool while the count is zero and by the frames while it is not.
/// `capacity`, `heldByteCount` and `memory` are read and written by the pool alone, under its lock
/// and while the count is zero, but for `heldByteCount`, which it also reads while it is not;
/// frames carry the pointer themselves. The count goes from zero to one under that lock, after an
/// acquiring load that pairs with the releasing subtraction of the last frame. That is why the
/// unsafe variables are safe.
final class FrameSlot: Sendable {
    /// Its place in the pool, from 0.
    let index: Int
    /// Keeps memory that was given to the pool where it is; nil for memory of the slot's own.
    private let owner: (any AnyObject & Sendable)?

    nonisolated(unsafe) private(set) var memory: UnsafeMutableRawPointer?
    /// The longest frame that fits.
    nonisolated(unsafe) private(set) var capacity = 0
    /// Bytes that the machine may have to spare for it: what was allocated, or of memory that was
    /// given what frames have used of it.
    nonisolated(unsafe) private(set) var heldByteCount = 0
    private let references = Atomic(0)

    /// Makes a slot that allocates its memory when it is needed.
    init(index: Int) {
        self.index = index
        owner = nil
    }

    /// Makes a slot of memory that is there and never moves.
    init(
        index: Int, memory: UnsafeMutableRawPointer, capacity: Int, owner: any AnyObject & Sendable
    ) {
        self.index = index
        self.owner = owner
        self.memory = memory
        self.capacity = capacity
    }

    deinit { if !isGiven { free(memory) } }

    /// Whether the memory is not the slot's own.
    var isGiven: Bool { owner != nil }

    var isFree: Bool { references.load(ordering: .acquiring) == 0 }
    var isUnique: Bool { references.load(ordering: .acquiring) == 1 }

    func occupy() { references.store(1, ordering: .relaxed) }
    func retain() { references.add(1, ordering: .relaxed) }
    func release() { references.subtract(1, ordering: .acquiringAndReleasing) }

    /// What ``heldByteCount`` becomes with a frame; nil where the frame can never fit.
    func heldByteCount(with byteCount: Int) -> Int? {
        guard !isGiven else {
            return byteCount <= capacity
                ? max(heldByteCount, Self.rounded(byteCount, to: Self.pageByteCount)) : nil
        }
        return byteCount <= capacity ? capacity : Self.allocationByteCount(for: byteCount)
    }

    /// Makes the slot hold so much, if it does not yet; false where there is no memory, and then
    /// the slot is as it was.
    func hold(_ byteCount: Int) -> Bool {
        if !isGiven, byteCount > capacity {
            guard let fresh = aligned_alloc(FrameLayout.alignment, byteCount) else { return false }
            free(memory)
            memory = fresh
            capacity = byteCount
        }
        heldByteCount = byteCount
        return true
    }

    /// Gives the memory back to the machine; false where that can't be done. The slot stays usable.
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

    /// Rounded up to eighths of a power of two, so that compressed pictures, each a little
    /// longer than the one before, soon fit.
    private static func allocationByteCount(for byteCount: Int) -> Int {
        let eighth = 1 << max(Int.bitWidth - byteCount.leadingZeroBitCount - 3, 0)
        return rounded(byteCount, to: max(pageByteCount, eighth))
    }

    private static func rounded(_ byteCount: Int, to unit: Int) -> Int {
        (byteCount + unit - 1) / unit * unit
    }
}
