/// A reusable block of memory with a unique owner.
///
/// `@unchecked Sendable` is safe: the owner can't be copied, and the memory is accessed only
/// through it.
struct Buffer: ~Copyable, @unchecked Sendable {
    /// The memory.
    private(set) var bytes: UnsafeMutableRawBufferPointer

    /// Makes a block of zeros.
    init(byteCount: Int) {
        bytes = .allocate(byteCount: byteCount, alignment: 64)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { bytes.deallocate() }

    /// Makes the block at least as long as given; its content is lost.
    mutating func reserve(_ byteCount: Int) {
        guard bytes.count < byteCount else { return }
        self = Buffer(byteCount: byteCount)
    }
}
