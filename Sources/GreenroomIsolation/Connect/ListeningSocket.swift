import CLinux
import Glibc
import GreenroomPluginInterface
import GreenroomSystem
import SystemPackage

/// A Unix socket with a path, accessible only to this process's user. Deinit removes the path.
///
/// Replaces the socket of a killed host, but no socket with a listener and no other file. Locks the
/// folder meanwhile, so that hosts that start together take turns.
struct ListeningSocket: ~Copyable {
    let path: String
    let descriptor: Int32
    private let file: FileIdentity

    /// Limit of connections that the kernel queues.
    private static let backlog: Int32 = 16

    /// Makes the socket.
    ///
    /// - Parameter path: The socket's path, at most 107 bytes.
    /// - Throws: ``LoadError`` with the path, the rule and the fix.
    init(at path: String) throws(LoadError) {
        let longest = Int(greenroom_socket_path_limit)
        guard (1...longest).contains(path.utf8.count) else {
            throw Self.error(
                path,
                "the path of a socket has 1 to \(longest) bytes, this one has "
                    + "\(path.utf8.count). Choose a shorter one, such as "
                    + "/run/user/\(geteuid())/greenroom.sock.")
        }
        let lock = try FolderLock(ofFolderOf: path)
        defer { lock.end() }
        var found = greenroom_listen(path, greenroom_messages, Self.backlog)
        if found == -EADDRINUSE {
            try Self.removeStale(path)
            found = greenroom_listen(path, greenroom_messages, Self.backlog)
        }
        guard found >= 0 else {
            throw Self.error(path, "cannot make a socket there: \(Errno(rawValue: -found)).")
        }
        guard let file = FileIdentity(of: path) else {
            let problem = errno
            close(found)
            throw Self.error(path, "cannot find the socket there: \(Errno(rawValue: problem)).")
        }
        self.path = path
        self.file = file
        descriptor = found
    }

    /// Removes the path if it still belongs to the socket, then closes the socket. The order
    /// matters: no other file receives the inode of an open socket.
    deinit {
        if let lock = try? FolderLock(ofFolderOf: path) {
            if FileIdentity(of: path) == file { unlink(path) }
            lock.end()
        }
        close(descriptor)
    }

    /// Removes a socket without a listener.
    private static func removeStale(_ path: String) throws(LoadError) {
        guard let file = FileIdentity(of: path) else { return }
        guard file.isSocket else {
            throw error(
                path, "the path is a file, not a socket. Remove it, or name another path.")
        }
        let connection = greenroom_connect(path, greenroom_messages)
        if connection >= 0 { close(connection) }
        guard connection == -ECONNREFUSED else {
            guard connection != -EACCES, connection != -EPERM else {
                throw error(path, "the socket belongs to another user. Name another path.")
            }
            throw LoadError(
                code: .socketInUse, place: path,
                explanation: "the socket has a listener already, maybe another session. Name "
                    + "another path, or end that one.")
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw error(
                path,
                "cannot remove the old socket: \(Errno.last).")
        }
    }

    private static func error(_ path: String, _ explanation: String) -> LoadError {
        LoadError(code: .noSocket, place: path, explanation: explanation)
    }
}

/// The file at a path.
private struct FileIdentity: Equatable {
    private var device: dev_t
    private var number: ino_t
    private var mode: mode_t

    /// - Returns: The file; nil if it does not exist.
    init?(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (device, number, mode) = (status.st_dev, status.st_ino, status.st_mode)
    }

    var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
}

/// Locks a folder against other hosts.
private struct FolderLock {
    private let descriptor: Int32

    /// The number of attempts, 10 ms apart.
    private static let attempts = 200

    init(ofFolderOf path: String) throws(LoadError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw LoadError(
                code: .noSocket, place: path,
                explanation: "cannot open the folder: \(Errno.last). Make the folder, or "
                    + "name another one.")
        }
        for _ in 0..<Self.attempts {
            if greenroom_try_lock(descriptor) == 0 { return }
            usleep(10_000)
        }
        // Continue without the lock: any process that can open the folder could hold it forever.
    }

    func end() { close(descriptor) }
}
