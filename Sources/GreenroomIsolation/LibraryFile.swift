import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// An open file to hash.
struct LibraryFile: ~Copyable {
    /// The metadata of a file. The content is unchanged while the metadata is: no process can reset
    /// the time of the last change.
    struct Identity: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64
        var byteCount: Int64
        var modifiedNanoseconds: Int64
        var changedNanoseconds: Int64

        /// The metadata of the file at a path; nil if it is not a regular file.
        init?(of path: String) {
            guard let status = try? Stat(path), status.type == .regular else { return nil }
            device = UInt64(status.deviceID.rawValue)
            inode = UInt64(status.inode.rawValue)
            byteCount = status.size
            modifiedNanoseconds = status.st_mtim.nanoseconds
            changedNanoseconds = status.st_ctim.nanoseconds
        }
    }

    private let file: FileDescriptor

    /// Limit of a hashed file's size, in bytes, because hashing has no timeout.
    private static let byteLimit: Int64 = 1 << 30

    /// Opens a file; nil if it is unreadable, not a regular file, or too large.
    init?(_ path: String) {
        guard
            let file = try? FileDescriptor.reading(
                path, options: [.nonBlocking, FileDescriptor.OpenOptions(rawValue: O_NOCTTY)])
        else { return nil }
        guard let status = try? file.stat(), status.type == .regular,
            status.size <= Self.byteLimit
        else {
            try? file.close()
            return nil
        }
        self.file = file
    }

    deinit { try? file.close() }

    /// The SHA-256 of the content; nil if reading fails.
    borrowing func hash() -> [UInt8]? {
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 256 * 1024)
        var total: Int64 = 0
        while total <= Self.byteLimit {
            guard let count = try? file.read(into: &buffer) else { return nil }
            if count == 0 { return hash.finish() }
            hash.update(buffer[..<count])
            total += Int64(count)
        }
        return nil
    }
}

extension LibraryFile.Identity {
    /// The resolution of file times, in nanoseconds. Some file systems count in steps of 1 or 2 s,
    /// so a later change within this time may leave the times unchanged.
    private static let resolutionNanoseconds: Int64 = 3_000_000_000

    /// Whether another change would change the times.
    ///
    /// - Parameter now: Wall time, which file systems use.
    func isSettled(at now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(
            max(modifiedNanoseconds, changedNanoseconds))
        return !overflow && age >= Self.resolutionNanoseconds
    }
}

extension timespec {
    /// The nanoseconds since 1970, saturating.
    fileprivate var nanoseconds: Int64 {
        let (scaled, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return tv_sec < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(Int64(tv_nsec))
        return carry ? .max : sum
    }
}
