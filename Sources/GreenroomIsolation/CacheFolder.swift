import CLinux
import Glibc
import GreenroomSystem
import Synchronization
import SystemPackage

/// A folder of small files that only this user can write.
struct CacheFolder: ~Copyable {
    private let descriptor: Int32

    /// Opens a folder; nil if it does not exist or another user can write to it. This process may
    /// run as root and would trust that user's files.
    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Self.isOwn(status) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Creates a folder that only this user can access, and its parents.
    ///
    /// - Returns: Whether the path exists afterwards.
    static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            return false
        }
        return make(String(path[..<slash])) && (mkdir(path, 0o700) == 0 || errno == EEXIST)
    }

    private static func isOwn(_ status: stat) -> Bool {
        status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    // MARK: Files

    /// Limit of a file's size, in bytes.
    private static let byteLimit = 4 << 20

    /// Reads a whole file; nil if it does not exist or another user can write to it.
    borrowing func read(_ name: String) -> [UInt8]? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Self.isOwn(status),
            (1...Self.byteLimit).contains(Int(status.st_size))
        else { return nil }
        let bytes = try? FileDescriptor(rawValue: file).readToEnd(limit: Self.byteLimit)
        return bytes?.count == Int(status.st_size) ? bytes : nil
    }

    /// Writes a file atomically. Failures are ignored.
    borrowing func write(_ name: String, _ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit else { return }
        let unfinished = "\(Self.unfinished)\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        let file = openat(
            descriptor, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let isWritten = (try? FileDescriptor(rawValue: file).writeAll(bytes)) != nil
        close(file)
        guard isWritten, renameat(descriptor, unfinished, descriptor, name) == 0 else {
            unlinkat(descriptor, unfinished, 0)
            return
        }
        // Reading a folder's names costs more than writing a file.
        if Self.writeCount.wrappingAdd(1, ordering: .relaxed).oldValue % Self.checkInterval == 0 {
            removeOldest()
        }
    }

    private static let writeCount = Atomic(0)
    /// The number of written files after which a process counts the folder's files.
    private static let checkInterval = 50

    private static let unfinished = "unfinished-"

    // MARK: Size

    /// Limit of files, and the number to keep after it is exceeded.
    private static let fileLimit = 1000
    private static let fileTarget = 750

    private borrowing func removeOldest() {
        let names = names
        guard names.count > Self.fileLimit else { return }
        let byAge = names.map { name in
            var status = stat()
            fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW)
            return (name: name, seconds: status.st_mtim.tv_sec)
        }.sorted { $0.seconds < $1.seconds }
        for (name, _) in byAge.prefix(names.count - Self.fileTarget) {
            unlinkat(descriptor, name, 0)
        }
    }

    private var names: [String] {
        (try? FileDescriptor(rawValue: descriptor).names()) ?? []
    }
}
