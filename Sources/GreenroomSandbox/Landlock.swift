internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The layer that hides files: Landlock.
///
/// Prepare the layer before filtering system calls, because preparing opens files. Apply the layer
/// after the filter: the rules depend on whether the filter notifies the host of opened files.
struct Landlock: ~Copyable {
    /// The version of the kernel's Landlock interface; 0 if the kernel has no Landlock.
    let version: Int
    private let ruleset: Int32
    private let processes: Int32
    private let unavailableReason: String

    var isPossible: Bool { ruleset >= 0 }

    /// Opens the files that a policy grants.
    ///
    /// - Parameter notes: Receives a line for each grant that fails.
    init(_ policy: SandboxPolicy, notes: inout [String]) {
        version = max(0, Int(greenroom_landlock_version()))
        guard version > 0 else {
            unavailableReason = Self.unavailableReason(errno)
            ruleset = -1
            processes = -1
            return
        }
        let known = LandlockRights.known(version: version)
        let scopes = LandlockScopes(version: version, allowsNetwork: policy.allowsNetwork)
        ruleset = greenroom_landlock_create(
            greenroom_landlock_ruleset(
                handled_access_fs: known.rawValue, handled_access_net: scopes.ports,
                scoped: scopes.scopes))
        unavailableReason = "\(Errno.last)"
        processes = open("/proc", Int32(greenroom_open_path) | O_CLOEXEC)
        guard ruleset >= 0 else { return }

        let own = policy.ownGrants
        for grant in policy.grants {
            guard let problem = Self.allow(grant, known: known, in: ruleset) else { continue }
            // The system's own files differ between machines.
            if own.contains(grant) { notes.append("can't grant \(grant.path): \(problem)") }
        }
    }

    deinit {
        if ruleset >= 0 { close(ruleset) }
        if processes >= 0 { close(processes) }
    }

    /// Restricts this process.
    ///
    /// - Parameter showsProcesses: Whether to grant reading all of `/proc`. libdispatch reads the
    ///   state of its threads there and crashes without access. If the filter notifies the host of
    ///   opened files, the host opens those files instead.
    consuming func apply(showsProcesses: Bool) -> SandboxReport.Entry {
        guard isPossible else { return Self.absent(unavailableReason) }
        if showsProcesses {
            _ = greenroom_landlock_allow(
                ruleset, processes, LandlockRights(PathGrant.Access.read).rawValue)
        }
        guard greenroom_landlock_restrict(ruleset) == 0 else {
            return Self.absent("\(Errno.last)")
        }
        return .init(
            layer: .landlock, state: .on,
            text: Self.summary(version: version)
                + (showsProcesses ? "; all processes are visible" : ""))
    }
}

// MARK: Texts and grants

extension Landlock {
    /// The restrictions of a Landlock version, for the report.
    static func summary(version: Int) -> String {
        var governs = ["files"]
        if version >= 3 { governs.append("truncation") }
        if version >= 4 { governs.append("TCP") }
        if version >= 5 { governs.append("devices") }
        if version >= 6 { governs.append("signals") }
        return "version \(version): \(governs.joined(separator: ", "))"
    }

    /// The reason that the kernel has no Landlock.
    static func unavailableReason(_ error: Int32) -> String {
        switch error {
        case ENOSYS: "the kernel is older than 5.13, or was built without it"
        case EOPNOTSUPP: "the kernel has it, but was started without it"
        default: "\(Errno(rawValue: error))"
        }
    }

    /// Adds a grant.
    ///
    /// - Returns: The reason that the kernel refused the grant; nil if the kernel accepted it.
    private static func allow(
        _ grant: PathGrant, known: LandlockRights, in ruleset: Int32
    ) -> String? {
        let place = open(grant.path, Int32(greenroom_open_path) | O_CLOEXEC)
        guard place >= 0 else {
            return errno == ENOENT && grant.access == .write
                ? "not found; make it, or grant its future folder"
                : "\(Errno.last)"
        }
        defer { close(place) }
        var status = stat()
        guard fstat(place, &status) == 0 else { return "\(Errno.last)" }
        var rights = LandlockRights(grant.access).intersection(known)
        if status.st_mode & S_IFMT != S_IFDIR { rights.formIntersection(.ofFiles) }
        return greenroom_landlock_allow(ruleset, place, rights.rawValue) == 0
            ? nil : "\(Errno.last)"
    }

    private static func absent(_ text: String) -> SandboxReport.Entry {
        .init(layer: .landlock, state: .unavailable, text: text)
    }
}
