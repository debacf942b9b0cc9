import Glibc

/// A file that is open, to be told apart from others by its content.
struct LibraryFile: ~Copyable {
    /// What the kernel says of a file: if nothing of it has changed, nor has its content. The time of
    /// change is the kernel's own, which nobody can set back.
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
        var byteCount: Int64
        var modifiedNanoseconds: Int64
        var changedNanoseconds: Int64

        fileprivate init?(_ status: stat) {
            guard status.st_mode & S_IFMT == S_IFREG else { return nil }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            byteCount = Int64(status.st_size)
            modifiedNanoseconds = status.st_mtim.nanoseconds
            changedNanoseconds = status.st_ctim.nanoseconds
        }
    }

    private let descriptor: Int32
    /// As it was when it was opened.
    let identity: Identity

    /// The largest that is read only to be named: the process that loads a larger one is ended in
    /// time, and this one would not be.
    private static let mostBytes: Int64 = 1 << 30

    /// Opens a file; nil if it can't be read, or is no file that a name would be made for.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, let identity = Identity(status),
            identity.byteCount <= Self.mostBytes
        else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.identity = identity
    }

    deinit { close(descriptor) }

    /// What the kernel says of the file that has the path now.
    static func identity(of path: String) -> Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// The hash of the content; nil if it can't be read to its end.
    borrowing func hash() -> [UInt8]? {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var total: Int64 = 0
        while total <= Self.mostBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return hash.finish() }
            hash.update(buffer[..<count])
            total += Int64(count)
        }
        return nil
    }
}

extension LibraryFile.Identity {
    /// How long ago the file must have been changed for its times to tell of every change, in
    /// nanoseconds: some file systems count whole seconds, or two at a time.
    private static let restNanoseconds: Int64 = 3_000_000_000

    /// Whether another change would show.
    ///
    /// - Parameter now: Of the wall clock, which file systems go by.
    func isSettled(at now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(
            max(modifiedNanoseconds, changedNanoseconds))
        return !overflow && age >= Self.restNanoseconds
    }
}

extension timespec {
    /// Since 1970; saturates.
    fileprivate var nanoseconds: Int64 {
        let (scaled, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return tv_sec < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(Int64(tv_nsec))
        return carry ? .max : sum
    }
}
