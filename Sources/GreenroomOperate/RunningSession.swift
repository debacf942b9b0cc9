import CLinux
import Glibc
import GreenroomModel
import GreenroomSession
import GreenroomSystem
import SystemPackage

/// A session that runs on this machine and can be reached: the socket of its `greenroom run`.
package struct RunningSession: Sendable {
    /// Its folder's sockets are `NAME.PROCESS.socket`.
    static let ending = ".socket"

    package var path: String
    package var name: String
    package var process: Int32

    /// - Parameter path: Of a socket; nil for another file.
    private init?(path: String) {
        guard let file = path.split(separator: "/").last, file.hasSuffix(Self.ending) else {
            return nil
        }
        let parts = file.dropLast(Self.ending.count)
        guard let dot = parts.lastIndex(of: "."),
            let process = pid_t(parts[parts.index(after: dot)...])
        else { return nil }
        self.path = path
        self.process = process
        name = String(parts[..<dot])
    }

    private var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// The unique name.
    package var fullName: String { "\(name).\(process)" }

    /// The sessions that answer, by name. Removes what sessions have left that were killed.
    package static var all: [RunningSession] {
        folders.flatMap { sockets(in: $0.path, of: $0.owner) }.compactMap(RunningSession.init)
            .filter(\.answers)
            .sorted { ($0.name, $0.process) < ($1.name, $1.process) }
    }

    /// Removes the sockets of killed sessions.
    static func removeStale() { _ = all }

    /// Finds a session. Those of the folders that the environment names come first; in others a name that
    /// several have is refused.
    ///
    /// - Parameter name: Its name, as the session file or the list has it, or with its process if several
    ///   have the name.
    /// - Throws: ``SessionConnectionError`` with the names that there are.
    package static func find(_ name: String) throws(SessionConnectionError) -> RunningSession {
        let all = all
        let listed = SessionConfiguration.runningName(of: name)
        let exact = all.filter { $0.fullName == name }
        let named = exact.isEmpty ? all.filter { $0.name == listed } : exact
        let own = named.filter { [ownFolder, userFolder].contains($0.folder) }
        let found = own.isEmpty ? named : own
        switch found.count {
        case 1: return found[0]
        case 0:
            throw SessionConnectionError(
                .name,
                "no session \(name) runs that this user may reach. "
                    + (all.isEmpty
                        ? "None does."
                        : "These do: \(all.map(\.fullName).joined(separator: ", ")).")
            )
        default:
            throw SessionConnectionError(
                .name,
                "several sessions are called \(name): name one of "
                    + "\(found.map(\.fullName).joined(separator: ", ")).")
        }
    }

    /// Connects to the session.
    package func connect() throws(SessionConnectionError) -> SessionConnection {
        let descriptor = greenroom_connect(path, greenroom_bytes)
        guard descriptor >= 0 else {
            throw SessionConnectionError(fullName, Errno(rawValue: -descriptor))
        }
        // The folder's owner made the socket.
        var (process, user): (pid_t, uid_t) = (0, 0)
        var status = stat()
        guard greenroom_peer(descriptor, &process, &user) == 0, lstat(folder, &status) == 0,
            status.st_uid == user
        else {
            close(descriptor)
            throw SessionConnectionError(.connection, "\(fullName): its socket is another user's.")
        }
        return SessionConnection(descriptor, fullName)
    }

    private var answers: Bool {
        let descriptor = greenroom_connect(path, greenroom_bytes)
        guard descriptor < 0 else {
            defer { close(descriptor) }
            // Another process can't take a session's name.
            var (peer, user): (pid_t, uid_t) = (0, 0)
            return greenroom_peer(descriptor, &peer, &user) == 0 && peer == process
        }
        // The socket is stale if the process in its name has exited: no other process can bind it.
        var status = stat()
        if descriptor == -ECONNREFUSED, kill(process, 0) != 0, errno == ESRCH,
            lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK
        {
            unlink(path)
        }
        return descriptor == -EAGAIN
    }

    // MARK: Folders

    /// The folder of this process's socket: the service's, the login session's or the user's.
    static var ownFolder: String {
        environmentVariable("RUNTIME_DIRECTORY") ?? userFolder
    }

    private static var userFolder: String {
        environmentVariable("XDG_RUNTIME_DIR").map { "\($0)/greenroom" }
            ?? temporaryFolder(of: getuid())
    }

    private static func loginFolder(of user: uid_t) -> String { "/run/user/\(user)/greenroom" }

    private static func temporaryFolder(of user: uid_t) -> String { "/tmp/greenroom-\(user)" }

    /// Folders with session sockets: the user's, the services' and, for root, all users'. The
    /// environment does not change them.
    /// Each with its owner; nil where root may read anybody's.
    private static var folders: [(path: String, owner: uid_t?)] {
        let owner = geteuid() == 0 ? nil : geteuid()
        var users = [getuid()]
        if geteuid() == 0 {
            users += names(in: "/run/user").compactMap { uid_t($0) }
            users += names(in: "/tmp").filter { $0.hasPrefix("greenroom-") }
                .compactMap { uid_t($0.dropFirst("greenroom-".count)) }
        }
        // Anybody may make a folder in /tmp that has another user's number.
        var folders = users.flatMap { user in
            [loginFolder(of: user), temporaryFolder(of: user)].map {
                (path: $0, owner: Optional(user))
            }
        }
        folders += [ownFolder, userFolder].map { ($0, owner) }
        folders += names(in: "/run/greenroom").map { ("/run/greenroom/\($0)", owner) }
        var seen: Set<String> = []
        return folders.filter { seen.insert($0.path).inserted }
    }

    /// The files of a folder that its owner alone writes to.
    private static func sockets(in folder: String, of owner: uid_t?) -> [String] {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & 0o022 == 0, owner == nil || status.st_uid == owner
        else { return [] }
        return names(in: folder).sorted().map { "\(folder)/\($0)" }
    }

    private static func names(in folder: String) -> [String] {
        ((try? FileDescriptor.names(in: folder)) ?? []).filter { !$0.hasPrefix(".") }
    }

    /// The path of a new socket of this process, in a folder that is this user's alone.
    ///
    /// - Parameter name: The session's, with its process.
    /// - Throws: ``SessionConnectionError``, if the folder is another user's.
    static func ownPath(named name: String) throws(SessionConnectionError) -> String {
        let folder = ownFolder
        mkdir(folder, 0o700)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else {
            throw SessionConnectionError(
                .connection,
                "\(folder): not a folder that only this user can write to; the session has no "
                    + "control socket.")
        }
        return "\(folder)/\(name)\(ending)"
    }
}
