/// A layer of the sandbox.
package enum SandboxLayer: UInt8, Sendable, CaseIterable {
    /// The kernel kills the process when its host ends.
    case diesWithHost
    /// Limits of memory, files, threads and core dumps.
    case limits
    /// Programs that it starts get no more rights than it has.
    case noNewPrivileges
    /// It has no rights of the superuser.
    case capabilities
    /// It can open granted files only.
    case landlock
    /// It can make the system calls that media need only.
    case seccomp

    /// The name in logs and reports.
    package var name: String {
        switch self {
        case .diesWithHost: "dies with host"
        case .limits: "limits"
        case .noNewPrivileges: "no new privileges"
        case .capabilities: "capabilities"
        case .landlock: "Landlock"
        case .seccomp: "seccomp"
        }
    }
}
