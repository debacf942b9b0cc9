/// A layer of the sandbox.
package enum SandboxLayer: UInt8, Sendable, CaseIterable {
    /// The process ends with its host.
    case diesWithHost
    /// Limits for memory, files, threads, core dumps.
    case limits
    /// No program that it might start gets more rights than it has.
    case noNewPrivileges
    /// It has nothing of what the superuser may do.
    case capabilities
    /// The kernel lets it see the files that are granted, and no others.
    case landlock
    /// The kernel lets it make the system calls that media need, and no others.
    case seccomp

    /// The name for people.
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
