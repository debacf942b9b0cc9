import Glibc
import GreenroomSystem
import SystemPackage

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

        fileprivate init?(_ status: Stat) {
            guard status.type == .regular else { return nil }
            device = UInt64(status.deviceID.rawValue)
            inode = UInt64(status.inode.rawValue)
            byteCount = status.size
            modifiedNanoseconds = status.st_mtim.nanoseconds
            changedNanoseconds = status.st_ctim.nanoseconds
        }
    }

    private let file: FileDescriptor
    /// As it was when it was opened.
    let identity: Identity

    /// The largest that is read only to be named: the process that loads a larger one is ended in
    /// time, and this one would not be.
    private static let mostBytes: Int64 = 1 << 30

    /// Opens a file; nil if it can't be read, or is no file that a name would be made for.
    init?(_ path: String) {
        guard
            let file = try? FileDescriptor.reading(
                path, options: [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        else { return nil }
        guard let status = try? file.stat(), let identity = Identity(status),
            identity.byteCount <= Self.mostBytes
        else {
            try? file.close()
            return nil
        }
        self.file = file
        self.identity = identity
    }

    deinit { try? file.close() }

    /// What the kernel says of the file that has the path now.
    static func identity(of path: String) -> Identity? {
        (try? Stat(path)).flatMap(Identity.init)
    }

    /// The hash of the content; nil if it can't be read to its end.
    borrowing func hash() -> [UInt8]? {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var total: Int64 = 0
        while total <= Self.mostBytes {
            guard let count = try? file.read(into: &buffer) else { return nil }
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
