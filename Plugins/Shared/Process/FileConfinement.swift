internal import CLinux
internal import Glibc
internal import GreenroomPlugin
internal import GreenroomSystem
internal import Synchronization
internal import SystemPackage

/// Limits the files that a command and its processes may access. Landlock enforces it, which needs neither
/// privileges nor namespaces.
package struct FileConfinement: Sendable {
    private let readable: [String]
    private let writable: [String]
    private let allowsNetwork: Bool

    /// Whether the kernel has Landlock.
    package static var isPossible: Bool { LandlockRuleset.version > 0 }

    /// - Parameters:
    ///   - readable: Files and folders to read, and to run programs of. A missing one is skipped.
    ///   - writable: Files and folders to change, too.
    ///   - allowsNetwork: Whether TCP connections are allowed.
    package init(readable: [String], writable: [String], allowsNetwork: Bool) {
        (self.readable, self.writable) = (readable, writable)
        self.allowsNetwork = allowsNetwork
    }

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
        let version = LandlockRuleset.version
        do throws(Errno) {
            // Do not restrict the control of devices.
            let handled = LandlockRights.known(version: version).subtracting(.controlDevice)
            let rules = try LandlockRuleset(
                handling: handled, LandlockScopes(version: version, allowsNetwork: allowsNetwork))
            for path in readable { try? rules.allow(path, [.execute, .readFile, .readFolder]) }
            for path in writable { try? rules.allow(path, handled) }
            guard greenroom_set_no_new_privileges() == 0 else { throw .last }
            try rules.restrict()
        } catch {
            throw Self.refusal(error.rawValue)
        }
    }

    private static func refusal(_ error: Int32) -> PluginError {
        PluginError("cannot confine a program with Landlock: error \(error)", status: .unavailable)
    }
}
