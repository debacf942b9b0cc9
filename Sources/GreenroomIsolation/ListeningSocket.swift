import CLinux
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// A Unix socket with a name, which this process listens at: for its user alone, and gone with it.
///
/// A socket that a host left behind which was killed is replaced; one at which somebody listens is
/// not, nor is anything else that has the name. Hosts that start at the same moment take turns: the
/// folder is locked meanwhile, which leaves nothing behind.
struct ListeningSocket: ~Copyable {
    let path: String
    let descriptor: Int32
    private let file: FileIdentity

    /// How many connections wait to be accepted at most.
    private static let backlog: Int32 = 16

    /// Makes the socket.
    ///
    /// - Parameter path: At most 107 bytes.
    /// - Throws: ``LoadError``, which names the path, the rule and the cure.
    init(at path: String) throws(LoadError) {
        let longest = Int(greenroom_longest_socket_path)
        guard (1...longest).contains(path.utf8.count) else {
            throw Self.error(
                path,
                "the path of a socket has 1 to \(longest) bytes, and this one has "
                    + "\(path.utf8.count). Choose a shorter one, such as "
                    + "/run/user/\(geteuid())/greenroom.sock.")
        }
        let lock = try FolderLock(ofFolderOf: path)
        defer { lock.end() }
        var found = greenroom_listen(path, Self.backlog)
        if found == -EADDRINUSE {
            try Self.removeStale(path)
            found = greenroom_listen(path, Self.backlog)
        }
        guard found >= 0 else {
            throw Self.error(path, "no socket can be made there: \(Errno(rawValue: -found)).")
        }
        guard let file = FileIdentity(of: path) else {
            let problem = errno
            close(found)
            throw Self.error(path, "the socket can't be seen there: \(Errno(rawValue: problem)).")
        }
        self.path = path
        self.file = file
        descriptor = found
    }

    /// Removes the name if it is still the socket's, and stops listening. In this order: as long as
    /// the socket is there no other file is given its number.
    deinit {
        if let lock = try? FolderLock(ofFolderOf: path) {
            if FileIdentity(of: path) == file { unlink(path) }
            lock.end()
        }
        close(descriptor)
    }

    /// Removes a socket at which nobody listens.
    private static func removeStale(_ path: String) throws(LoadError) {
        guard let file = FileIdentity(of: path) else { return }
        guard file.isSocket else {
            throw error(
                path, "is there already, and is no socket. Remove it, or name another path.")
        }
        let connection = greenroom_connect(path)
        if connection >= 0 { close(connection) }
        guard connection == -ECONNREFUSED else {
            throw error(
                path,
                connection == -EACCES || connection == -EPERM
                    ? "is another user's socket. Name another path."
                    : "somebody listens there: another session, perhaps. Name another path, or end "
                        + "that one.")
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw error(
                path,
                "a socket was left behind there that can't be removed: \(Errno.last).")
        }
    }

    private static func error(_ path: String, _ explanation: String) -> LoadError {
        LoadError(code: .noSocket, place: path, explanation: explanation)
    }
}

/// Which file a name stands for.
private struct FileIdentity: Equatable {
    private var device: dev_t
    private var number: ino_t
    private var mode: mode_t

    /// nil if there is none.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number, mode) = (status.st_dev, status.st_ino, status.st_mode)
    }

    var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
}

/// Keeps other hosts out of a folder for a moment.
private struct FolderLock {
    private let descriptor: Int32

    /// How often to try, 10 ms apart.
    private static let attempts = 200

    init(ofFolderOf path: String) throws(LoadError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LoadError(
                code: .noSocket, place: path,
                explanation: "its folder can't be opened: \(Errno.last). Make the folder, or "
                    + "name another one.")
        }
        for _ in 0..<Self.attempts {
            if greenroom_try_lock(descriptor) == 0 { return }
            usleep(10_000)
        }
        // Whoever may open the folder can lock it for good: that must not keep a host from it, which
        // goes on as if it were alone.
    }

    func end() { close(descriptor) }
}
