/// The owner of a block of memory that is made once and used again and again.
///
/// `@unchecked Sendable` is safe: the memory has this one owner, which cannot be copied, and
/// is reached through it alone.
struct Buffer: ~Copyable, @unchecked Sendable {
    /// The memory.
    private(set) var bytes: UnsafeMutableRawBufferPointer

    /// Makes a block of zeros.
    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { bytes.deallocate() }

    /// Sees to it that the block is at least so long; what it held is lost.
    mutating func reserve(_ byteCount: Int) {
        guard bytes.count < byteCount else { return }
        self = Buffer(byteCount: byteCount)
    }
}
