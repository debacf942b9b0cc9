import Glibc
package import GreenroomMedia

/// Pixels in B, G, R and an unused byte, in memory that another program may write to.
package final class CapturedImage {
    package static let bytesOfPixel = 4

    package private(set) var size = FrameSize(width: 0, height: 0)
    private let base: UnsafeMutableRawPointer
    /// The bytes that an image may have.
    package let capacity: Int
    private let isMapped: Bool

    /// An image in memory of this process.
    package init(capacity: Int) {
        self.capacity = max(capacity, Self.bytesOfPixel)
        base = .allocate(byteCount: self.capacity, alignment: 64)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: self.capacity)
        isMapped = false
    }

    /// An image in shared memory; nil if it can't be mapped.
    ///
    /// - Parameter descriptor: Stays open.
    package init?(mapping descriptor: Int32, capacity: Int) {
        let mapped = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else { return nil }
        base = mapped
        self.capacity = capacity
        isMapped = true
    }

    deinit {
        if isMapped { munmap(base, capacity) } else { base.deallocate() }
    }

    package var strideBytes: Int { size.width * Self.bytesOfPixel }

    /// Changes the size, whose bytes must fit; the content is undefined then.
    package func resize(to size: FrameSize) {
        guard size.area * Self.bytesOfPixel <= capacity else { return }
        self.size = size
    }

    /// The image's bytes.
    package var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: strideBytes * size.height)
    }

    /// All bytes that an image may have.
    package var whole: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base, count: capacity)
    }

    /// The bytes from a row on.
    package func bytes(fromRow row: Int) -> UnsafeMutablePointer<UInt8> {
        (base + min(row * strideBytes, capacity)).assumingMemoryBound(to: UInt8.self)
    }
}
