package import GreenroomModel
import GreenroomPluginInterface

/// The sockets that the host connects for a plugin.
package struct ConnectionGrants: Sendable {
    /// The granted paths, as written and with links resolved; nil if every path is granted.
    private let places: Set<String>?

    /// The grants of a plugin in the host's process, or without a sandbox.
    package static let everything = ConnectionGrants(places: nil)
    /// The grants of a program that the host did not start.
    package static let nothing = ConnectionGrants(places: [])

    private init(places: Set<String>?) { self.places = places }

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
    }

    /// Whether the socket at a path is granted.
    func cover(_ path: String) -> Bool { places?.contains(path) ?? true }

    /// Whether no socket is granted.
    var isEmpty: Bool { places?.isEmpty ?? false }
}
