/// A layer of the sandbox.
package enum SandboxLayer: UInt8, Sendable, CaseIterable {
    /// The kernel kills the process when its host ends.
    case diesWithHost
    /// Limits of memory, files, threads and core dumps.
    case limits
    /// Programs that the process starts receive no more rights than the process has.
    case noNewPrivileges
    /// The process has no rights of the superuser.
    case capabilities
    /// The process can open only granted files.
    case landlock
    /// The process can make only the system calls that media need.
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
