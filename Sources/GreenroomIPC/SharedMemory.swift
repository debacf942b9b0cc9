import CLinux
import Glibc
import SystemPackage

/// A file in memory that two processes see, mapped into this one.
///
/// Its size is sealed, so that no process can make the other one fault by cutting it short. Pages
/// take memory once they are touched. The mapping and the descriptor go with the last reference.
package final class SharedMemory: Sendable {
    /// The descriptor, to pass on; -1 in a process that has adopted the memory.
    package let descriptor: Int32
    package let byteCount: Int
    /// Safe to send: never changes; what is behind it is read and written with atomics, or by
    /// whoever's turn it is.
    nonisolated(unsafe) package let base: UnsafeMutableRawPointer

    /// Makes memory, all zero.
    ///
    /// - Throws: ``ChannelError`` when the kernel refuses.
    package init(name: String, byteCount: Int) throws(ChannelError) {
        let descriptor = greenroom_sealed_memory(name, Int64(byteCount))
        guard descriptor >= 0 else { throw ChannelError("make shared memory", errno: -descriptor) }
        guard let base = Self.map(descriptor, byteCount) else {
            let error = errno
            close(descriptor)
            throw ChannelError("map shared memory", errno: error)
        }
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.base = base
    }

    /// Maps memory that another process has made, and takes its descriptor over.
    ///
    /// - Throws: ``ChannelError`` if its size is not sealed or not the one that is expected.
    package init(adopting descriptor: Int32, byteCount: Int) throws(ChannelError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, greenroom_is_sealed(descriptor) != 0,
            Int(status.st_size) == byteCount
        else {
            close(descriptor)
            throw ChannelError("take shared memory that is not sealed at its size", errno: EINVAL)
        }
        guard let base = Self.map(descriptor, byteCount) else {
            let error = errno
            close(descriptor)
            throw ChannelError("map shared memory", errno: error)
        }
        // Whoever has the descriptor can fill the memory without touching it.
        close(descriptor)
        self.descriptor = -1
        self.byteCount = byteCount
        self.base = base
    }

    deinit {
        munmap(base, byteCount)
        if descriptor >= 0 { close(descriptor) }
    }

    /// How much of it takes memory, whoever has touched it; 0 in a process that has adopted it.
    package var heldByteCount: Int {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0 }
        return Int(status.st_blocks) * 512
    }

    /// Takes pages out of this process's memory, not out of the file: whoever touches them next, here
    /// or in the other process, finds what is in them.
    package func putAside(from offset: Int) {
        guard offset < byteCount else { return }
        madvise(base + offset, byteCount - offset, MADV_DONTNEED)
    }

    /// Makes the pages that hold some bytes readable and writable in this process.
    package func allow(_ bytes: Range<Int>) { protect(bytes, PROT_READ | PROT_WRITE) }

    /// Makes the pages that hold some bytes such that touching them ends this process.
    package func forbid(_ bytes: Range<Int>) { protect(bytes, PROT_NONE) }

    private func protect(_ bytes: Range<Int>, _ access: Int32) {
        let page = 4096
        let bytes = bytes.clamped(to: 0..<byteCount)
        let (start, end) = (
            bytes.lowerBound / page * page, (bytes.upperBound + page - 1) / page * page
        )
        mprotect(base + start, end - start, access)
    }

    private static func map(_ descriptor: Int32, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        let flags = MAP_SHARED | MAP_NORESERVE
        let base = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, descriptor, 0)
        return base == MAP_FAILED ? nil : base
    }
}

/// Why host and runner can't talk.
package struct ChannelError: Error, CustomStringConvertible {
    package var description: String

    package init(_ what: String, errno: Int32) {
        description = "can't \(what): \(Errno(rawValue: errno))"
    }
}
