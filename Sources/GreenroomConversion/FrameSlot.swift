internal import Glibc
internal import Synchronization

/// A block of memory of a pool, and the number of frames that refer to it.
///
/// The memory is owned by the pool while the count is zero and by the frames while it is not.
/// `capacity` and `memory` are read and written by the pool alone, under its lock and while
/// the count is zero; frames carry the pointer themselves. The count goes from zero to one
/// under that lock, after an acquiring load that pairs with the releasing subtraction of the
/// last frame. That is why the unsafe variables are safe.
final class FrameSlot: Sendable {
    nonisolated(unsafe) private(set) var memory: UnsafeMutableRawPointer?
    nonisolated(unsafe) private(set) var capacity = 0
    private let references = Atomic(0)

    deinit { free(memory) }

    var isFree: Bool { references.load(ordering: .acquiring) == 0 }
    var isUnique: Bool { references.load(ordering: .acquiring) == 1 }

    func occupy() { references.store(1, ordering: .relaxed) }
    func retain() { references.add(1, ordering: .relaxed) }
    func release() { references.subtract(1, ordering: .acquiringAndReleasing) }

    /// Replaces the memory; false where there is none, and then the slot is as it was.
    ///
    /// Rounded up to eighths of a power of two, so that compressed pictures, each a little
    /// longer than the one before, soon fit.
    func allocate(byteCount: Int) -> Bool {
        let unit = max(4096, 1 << max(Int.bitWidth - byteCount.leadingZeroBitCount - 3, 0))
        let rounded = (byteCount + unit - 1) / unit * unit
        guard let fresh = aligned_alloc(FrameLayout.alignment, rounded) else { return false }
        free(memory)
        memory = fresh
        capacity = rounded
        return true
    }
}
