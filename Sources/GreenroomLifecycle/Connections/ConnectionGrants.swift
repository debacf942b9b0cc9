internal import CLinux
import Glibc
package import GreenroomModel
import GreenroomPluginInterface

/// The sockets that the host connects for a plugin.
package struct ConnectionGrants: Sendable {
    /// The granted paths, as written and with links resolved; nil if every path is granted.
    private let places: Set<String>?
    /// The programs that may be granted, whether or not the environment names their sockets.
    private let programs: Set<DesktopSockets.Program>

    /// The grants of a plugin in the host's process, or without a sandbox.
    package static let everything = ConnectionGrants(places: nil)
    /// The grants of a program that the host did not start.
    package static let nothing = ConnectionGrants(places: [])

    private init(places: Set<String>?) {
        self.places = places
        programs = []
    }

    /// Reads the grants that a session file gives to an isolated plugin.
    package init(_ plan: IsolationPlan, sockets: DesktopSockets = DesktopSockets()) {
        guard plan.sandbox != .off else {
            self = .everything
            return
        }
        let programs: [DesktopSockets.Program] =
            (plan.grants.display ? [.x11, .wayland] : [])
            + (plan.grants.pipewire ? [.pipewire] : [])
        let paths = plan.grants.connect + programs.compactMap { try? sockets.path(of: $0) }
        places = Set(paths).union(paths.compactMap { resolvedPath($0) })
        // A path may be the socket of any program.
        self.programs = Set(
            plan.grants.connect.isEmpty ? programs : DesktopSockets.Program.allCases)
    }

    /// Whether the socket of a program can be granted.
    func mayCover(_ program: DesktopSockets.Program) -> Bool {
        places == nil || programs.contains(program)
    }

    /// Whether the socket at a path is granted.
    func cover(_ path: String) -> Bool { places?.contains(path) ?? true }

    /// The reason that no grant opens the socket at a path; nil if a grant can.
    ///
    /// A plugin that connects to a session's control socket has every command. The name of such a socket is
    /// `greenroom/NAME.PROCESS.socket`; a hard link would hide it.
    ///
    /// - Parameter nameCount: The number of names of the opened socket; nil to look the number up by the path.
    package static func refusal(of path: String, nameCount: UInt? = nil) -> String? {
        let parts = (resolvedPath(path) ?? path).split(separator: "/")
        if parts.last?.hasSuffix(".socket") == true,
            parts.dropLast().last?.hasPrefix("greenroom") == true
        {
            return "\(path) controls a session. To let the plugin send commands, write allow: "
                + "{ control: true } instead."
        }
        guard nameCount ?? Self.nameCount(of: path) > 1 else { return nil }
        return "\(path) has another name (a hard link), and may be a session's control socket. "
            + "Remove the other name, or restart the program that listens there."
    }

    private static func nameCount(of path: String) -> UInt {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return 0 }
        return status.st_nlink
    }

    /// Whether every socket is granted.
    var coversAll: Bool { places == nil }

    /// Whether no socket is granted.
    var isEmpty: Bool { places?.isEmpty ?? false }
}
