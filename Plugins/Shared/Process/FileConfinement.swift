internal import CLinux
internal import Glibc
internal import GreenroomPlugin
internal import Synchronization

/// Limits the files that a command and its processes may access. Landlock enforces it, which needs neither
/// privileges nor namespaces.
package struct FileConfinement: Sendable {
    private let readable: [String]
    private let writable: [String]
    private let allowsNetwork: Bool

    /// Whether the kernel has Landlock.
    package static var isPossible: Bool { greenroom_landlock_version() > 0 }

    /// - Parameters:
    ///   - readable: Files and folders to read, and to run programs of. A missing one is skipped.
    ///   - writable: Files and folders to change, too.
    ///   - allowsNetwork: Whether TCP connections are allowed.
    package init(readable: [String], writable: [String], allowsNetwork: Bool) {
        (self.readable, self.writable) = (readable, writable)
        self.allowsNetwork = allowsNetwork
    }

    // The kernel's numbers of the rights.
    private static let execute: UInt64 = 1 << 0
    private static let writeFile: UInt64 = 1 << 1
    private static let readFile: UInt64 = 1 << 2
    private static let readFolder: UInt64 = 1 << 3
    private static let truncate: UInt64 = 1 << 14

    /// Starts a process on a thread that is confined, which the process inherits. This process's other
    /// threads are not confined.
    func confining(_ start: @escaping @Sendable () throws -> pid_t) throws -> pid_t {
        let outcome = Outcome()
        let thread = try PluginThread(name: "confined start") {
            let result = Result {
                try confine()
                return try start()
            }
            outcome.process.withLock { $0 = result }
        }
        thread.join()
        return try outcome.process.withLock { $0 }.get()
    }

    private final class Outcome: Sendable {
        let process = Mutex<Result<pid_t, any Error>>(.failure(refusal(EAGAIN)))
    }

    /// Confines the calling thread.
    private func confine() throws(PluginError) {
        let version = greenroom_landlock_version()
        // Version 2 adds moves between folders, 3 truncation, 4 TCP, and 6 abstract sockets and signals.
        var rights: UInt64 = (1 << 13) - 1
        if version >= 2 { rights |= 1 << 13 }
        if version >= 3 { rights |= Self.truncate }
        let rules = greenroom_landlock_create(
            greenroom_landlock_ruleset(
                handled_access_fs: rights,
                handled_access_net: version >= 4 && !allowsNetwork ? 3 : 0,
                scoped: version >= 6 ? 3 : 0))
        guard rules >= 0 else { throw Self.refusal(errno) }
        defer { close(rules) }
        for path in readable {
            Self.allow(path, Self.execute | Self.readFile | Self.readFolder, in: rules)
        }
        for path in writable { Self.allow(path, rights, in: rules) }
        guard greenroom_set_no_new_privileges() == 0, greenroom_landlock_restrict(rules) == 0 else {
            throw Self.refusal(errno)
        }
    }

    private static func allow(_ path: String, _ rights: UInt64, in rules: Int32) {
        let place = open(path, Int32(greenroom_open_path) | O_CLOEXEC)
        guard place >= 0 else { return }
        defer { close(place) }
        var status = stat()
        guard fstat(place, &status) == 0 else { return }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let ofFiles = execute | writeFile | readFile | truncate
        _ = greenroom_landlock_allow(rules, place, isFolder ? rights : rights & ofFiles)
    }

    private static func refusal(_ error: Int32) -> PluginError {
        PluginError("cannot confine a program with Landlock: error \(error)", status: .unavailable)
    }
}
