import CLinux
import Glibc
package import Synchronization
package import SystemPackage

/// A memory file that two processes map.
///
/// The size is sealed, so that neither process can make the other fault by truncating the file.
/// A page uses memory after its first access. The last reference unmaps the memory and closes the
/// descriptor.
package final class SharedMemory: Sendable {
    /// The descriptor for the other process; -1 in the process that received the memory.
    package let descriptor: Int32
    package let byteCount: Int
    /// A unique number among the process's shared memory; 0 in the receiving process.
    package let number: UInt32
    /// The processes that may write to the memory.
    package let writers: Writers
    private static let lastNumber = Atomic<UInt32>(0)
    /// Safe to send: the pointer never changes. Its memory holds atomics, and bytes that belong to
    /// one side at a time.
    nonisolated(unsafe) package let base: UnsafeMutableRawPointer

    /// The processes that may write to memory. The kernel enforces the limit.
    package enum Writers: Sendable {
        /// All receiving processes.
        case all
        /// The creating process.
        case maker
    }

    /// Makes memory, all zeros.
    ///
    /// - Throws: ``ChannelError`` when the kernel refuses.
    package init(
        name: String, byteCount: Int, writers: Writers = .all
    ) throws(ChannelError) {
        let descriptor = greenroom_memory(name, Int64(byteCount))
        guard descriptor >= 0 else { throw ChannelError("make shared memory", errno: -descriptor) }
        guard let base = Self.map(descriptor, byteCount) else {
            let error = errno
            close(descriptor)
            throw ChannelError("map shared memory", errno: error)
        }
        // After this process has mapped it for writing.
        let sealed = greenroom_seal(descriptor, writers == .maker ? 1 : 0)
        guard sealed == 0 else {
            munmap(base, byteCount)
            close(descriptor)
            throw ChannelError("seal shared memory", errno: -sealed)
        }
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.base = base
        self.writers = writers
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Maps another process's memory, read-only if that process denies writing. Closes the
    /// descriptor.
    ///
    /// - Parameter byteCount: The expected size; nil for any size.
    /// - Throws: ``ChannelError`` if the size is not sealed or not as expected.
    package init(adopting descriptor: Int32, byteCount: Int? = nil) throws(ChannelError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, greenroom_is_sealed(descriptor) != 0,
            status.st_size > 0, Int(status.st_size) == byteCount ?? Int(status.st_size)
        else {
            close(descriptor)
            throw ChannelError("map shared memory whose size is not sealed", errno: EINVAL)
        }
        let byteCount = Int(status.st_size)
        guard let base = Self.map(descriptor, byteCount) else {
            let error = errno
            close(descriptor)
            throw ChannelError("map shared memory", errno: error)
        }
        // A plugin with the descriptor could fill the memory without mapping it.
        close(descriptor)
        self.descriptor = -1
        self.byteCount = byteCount
        self.base = base
        writers = .all
        number = 0
    }

    /// Whether this process keeps memory mapped after its last reference, for language bindings whose
    /// users may hold a view of a frame.
    package static let staysMapped = Atomic(false)

    deinit {
        if !Self.staysMapped.load(ordering: .relaxed) { munmap(base, byteCount) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Bytes in memory, whichever process touched them; 0 in a process that received the memory.
    package var heldByteCount: Int {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0 }
        return Int(status.st_blocks) * 512
    }

    /// Removes pages from this process's memory. The next access finds their content unchanged.
    package func evictPages(from offset: Int) {
        guard offset < byteCount else { return }
        madvise(base + offset, byteCount - offset, MADV_DONTNEED)
    }

    private static func map(_ descriptor: Int32, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        let flags = MAP_SHARED | MAP_NORESERVE
        let isReadOnly = greenroom_forbids_writing(descriptor) != 0
        let access = isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE
        let base = mmap(nil, byteCount, access, flags, descriptor, 0)
        return base == MAP_FAILED ? nil : base
    }
}

/// The reason why the host and a runner cannot communicate.
package struct ChannelError: Error, Sendable, CustomStringConvertible {
    package var description: String
    package var underlyingError: Errno?

    package init(_ description: String) { self.description = description }

    package init(_ action: String, errno: Int32) {
        let error = Errno(rawValue: errno)
        underlyingError = error
        description = "can't \(action): \(error)\(Self.cure(errno))"
    }

    private static func cure(_ error: Int32) -> String {
        switch error {
        case EPERM, ENOSYS:
            ". The container's seccomp profile or the kernel refuses the call: allow memfd_create, "
                + "pidfd_open and clone3, or set isolation: host"
        case ENOMEM: ". Raise ulimit -v, or the container's limit of memory"
        case EMFILE, ENFILE: ". Raise ulimit -n"
        case EAGAIN: ". Raise ulimit -u, or the container's limit of processes"
        default: ""
        }
    }
}
