import CLinux
import Glibc
import GreenroomHost
import GreenroomLifecycle
import GreenroomModel
import GreenroomSession
import GreenroomSystem
import SystemPackage

/// A session that runs on this machine and can be reached: the socket of its `greenroom run`.
struct RunningSession {
    /// Its folder's sockets are `NAME.PROCESS.socket`.
    static let ending = ".socket"

    var path: String
    var name: String
    var process: pid_t

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

    /// What tells it from every other one.
    var fullName: String { "\(name).\(process)" }

    /// The sessions that answer, by name. Removes what sessions have left that were killed.
    static var all: [RunningSession] {
        folders.flatMap { sockets(in: $0.path, of: $0.owner) }.compactMap(RunningSession.init)
            .filter(\.answers)
            .sorted { ($0.name, $0.process) < ($1.name, $1.process) }
    }

    /// Finds a session. Those of the folders that the environment names come first; in others a name that
    /// several have is refused.
    ///
    /// - Parameter name: Its name, as the session file or the list has it, or with its process if several
    ///   have the name.
    /// - Throws: ``Failure`` with the names that there are.
    static func find(_ name: String) throws(Failure) -> RunningSession {
        let all = all
        let listed = SessionConfiguration.runningName(of: name)
        let exact = all.filter { $0.fullName == name }
        let named = exact.isEmpty ? all.filter { $0.name == listed } : exact
        let own = named.filter { [ownFolder, userFolder].contains($0.folder) }
        let found = own.isEmpty ? named : own
        switch found.count {
        case 1: return found[0]
        case 0:
            throw Failure(
                .usage,
                "no session \(name) runs that this user may reach. "
                    + (all.isEmpty
                        ? "None does."
                        : "These do: \(all.map(\.fullName).joined(separator: ", ")).")
            )
        default:
            throw Failure(
                .usage,
                "several sessions are called \(name): name one of "
                    + "\(found.map(\.fullName).joined(separator: ", ")).")
        }
    }

    /// Connects to the session.
    func connect() throws(Failure) -> SessionConnection {
        let descriptor = greenroom_connect(path, greenroom_bytes)
        guard descriptor >= 0 else {
            throw Failure(.outputFailed, "\(fullName): \(Errno(rawValue: -descriptor))")
        }
        // The folder's owner made the socket.
        var (process, user): (pid_t, uid_t) = (0, 0)
        var status = stat()
        guard greenroom_peer(descriptor, &process, &user) == 0, lstat(folder, &status) == 0,
            status.st_uid == user
        else {
            close(descriptor)
            throw Failure(.outputFailed, "\(fullName): its socket is another user's.")
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
        // Once the process that the name contains is gone, no process listens, nor ever will.
        var status = stat()
        if descriptor == -ECONNREFUSED, kill(process, 0) != 0, errno == ESRCH,
            lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK
        {
            unlink(path)
        }
        return descriptor == -EAGAIN
    }

    // MARK: Folders

    /// The folder of this process's own socket: that of a service, of a user's login, or of the user.
    static var ownFolder: String {
        environmentVariable("RUNTIME_DIRECTORY") ?? userFolder
    }

    private static var userFolder: String {
        environmentVariable("XDG_RUNTIME_DIR").map { "\($0)/greenroom" }
            ?? temporaryFolder(of: getuid())
    }

    private static func loginFolder(of user: uid_t) -> String { "/run/user/\(user)/greenroom" }

    private static func temporaryFolder(of user: uid_t) -> String { "/tmp/greenroom-\(user)" }

    /// Where sessions are looked for: this user's folders, whatever the environment says of them, and
    /// those of services and, for root, of all users.
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
    /// - Throws: ``Failure``, if the folder is another user's.
    static func ownPath(named name: String) throws(Failure) -> String {
        let folder = ownFolder
        mkdir(folder, 0o700)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else {
            throw Failure(
                .outputFailed,
                "\(folder): is no folder that only this user can write to, so the session can't be "
                    + "controlled from outside.")
        }
        return "\(folder)/\(name)\(ending)"
    }
}

/// A connection to a session: lines there, and lines of JSON back.
struct SessionConnection: ~Copyable {
    private let descriptor: Int32
    /// The session, for messages.
    private let name: String
    private var received: [UInt8] = []
    /// Whether the answer to a question of ``next()``'s own is still to come.
    private var awaitsStatus = false

    init(_ descriptor: Int32, _ name: String) {
        // A session that ends is an error of the write.
        signal(SIGPIPE, SIG_IGN)
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    /// Asks for something.
    func send(_ request: SessionRequest) throws(Failure) { try send(request.rawValue) }

    /// Sends a line. One that a session has closed the connection to is lost: ``next()`` has what it said
    /// before, such as the reason.
    func send(_ line: String) throws(Failure) {
        do throws(Errno) {
            try withErrno {
                _ = try FileDescriptor(rawValue: descriptor).writeAll("\(line)\n".utf8)
            }
        } catch {
            guard error != .brokenPipe else { return }
            throw Failure(.outputFailed, "the session can't be reached any more: \(error)")
        }
    }

    /// How long a session may take to answer: its report takes milliseconds.
    static let timeout: Duration = .seconds(5)

    /// The next line; nil at the end of the session. A process that is stopped accepts connections and
    /// never answers: no command waits for it.
    ///
    /// - Throws: ``Failure``, if there is none before the deadline.
    mutating func next(before deadline: ContinuousClock.Instant) throws(Failure) -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            guard hasBytes(before: deadline) else {
                throw Failure(
                    .outputFailed,
                    "\(name) does not answer. Is its process (the number) stopped, or this machine "
                        + "very busy?")
            }
            guard receive() else { return nil }
        }
    }

    /// The next line of a session that may have nothing to say for long; nil at its end. While it is
    /// silent it is asked for its status.
    ///
    /// - Parameter output: Where lines go; nil is returned once its reader is gone.
    /// - Throws: ``Failure``, if it does not answer that either.
    mutating func next(unlessClosed output: Int32 = -1) throws(Failure) -> String? {
        while true {
            if !received.contains(UInt8(ascii: "\n")),
                !hasBytes(before: .now + Self.timeout, unlessClosed: output)
            {
                guard !Self.isClosed(output) else { return nil }
                try send(.status)
                awaitsStatus = true
            }
            let line = try next(before: .now + Self.timeout)
            guard awaitsStatus, let line, EventRecord(json: line)?.event == .status else {
                return line
            }
            awaitsStatus = false
        }
    }

    /// Whether an output's reader is gone.
    private static func isClosed(_ output: Int32) -> Bool {
        var looked = pollfd(fd: output, events: 0, revents: 0)
        return poll(&looked, 1, 0) > 0 && looked.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0
    }

    /// Waits until there is something to receive, the end included, or the output's reader is gone.
    private func hasBytes(
        before deadline: ContinuousClock.Instant, unlessClosed output: Int32 = -1
    ) -> Bool {
        while true {
            let rest = max(.zero, deadline - .now).components
            let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
            var wanted: InlineArray<2, pollfd> = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                // A negative one is passed over.
                pollfd(fd: output, events: 0, revents: 0),
            ]
            let count = withUnsafeMutableBytes(of: &wanted) {
                poll(
                    $0.baseAddress?.assumingMemoryBound(to: pollfd.self), 2,
                    Int32(clamping: milliseconds))
            }
            if count < 0, errno == EINTR { continue }
            return count > 0 && wanted[0].revents != 0
        }
    }

    /// Waits for bytes.
    ///
    /// - Returns: Whether there are more.
    private mutating func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        guard let count = try? FileDescriptor(rawValue: descriptor).read(into: &chunk), count > 0
        else { return false }
        received += chunk[..<count]
        return true
    }
}
