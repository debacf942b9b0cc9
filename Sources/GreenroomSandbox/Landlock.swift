internal import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// The layer that hides files, in the making: Landlock.
///
/// It is prepared before system calls are filtered, because preparing opens files, and applied
/// afterwards, when it is known whether the host hears of opened files.
struct Landlock: ~Copyable {
    /// The interface's version; 0 if there is none.
    let version: Int
    private let ruleset: Int32
    private let processes: Int32
    private let absence: String

    /// Whether it can be applied.
    var isPossible: Bool { ruleset >= 0 }

    /// Prepares the grants of a policy.
    ///
    /// - Parameter notes: Gets a line for each grant that can't be given.
    init(_ policy: SandboxPolicy, notes: inout [String]) {
        version = max(0, Int(greenroom_landlock_version()))
        guard version > 0 else {
            absence = Self.absence(errno)
            ruleset = -1
            processes = -1
            return
        }
        let known = LandlockRights.known(version: version)
        let reach = LandlockReach(version: version, allowsNetwork: policy.allowsNetwork)
        ruleset = greenroom_landlock_create(
            greenroom_landlock_ruleset(
                handled_access_fs: known.rawValue, handled_access_net: reach.ports,
                scoped: reach.scopes))
        absence = "\(Errno.last)"
        processes = open("/proc", Int32(greenroom_open_path) | O_CLOEXEC)
        guard ruleset >= 0 else { return }

        let own = policy.ownGrants
        for grant in policy.grants {
            guard let problem = Self.allow(grant, known: known, in: ruleset) else { continue }
            // Of the system's own files not every machine has each.
            if own.contains(grant) { notes.append("can't grant \(grant.path): \(problem)") }
        }
    }

    deinit {
        if ruleset >= 0 { close(ruleset) }
        if processes >= 0 { close(processes) }
    }

    /// Puts this process under it.
    ///
    /// - Parameter showsProcesses: Whether all of `/proc` can be read. Dispatch looks how its
    ///   threads do, and crashes where it can't: either the host opens that for it, or nobody
    ///   can tell it from other processes.
    consuming func apply(showsProcesses: Bool) -> SandboxReport.Entry {
        guard isPossible else { return Self.absent(absence) }
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
                + (showsProcesses ? "; what is running here can be seen" : ""))
    }
}

// MARK: Texts and grants

extension Landlock {
    /// What a version governs, in words.
    static func summary(version: Int) -> String {
        var governs = ["files"]
        if version >= 3 { governs.append("truncation") }
        if version >= 4 { governs.append("TCP") }
        if version >= 5 { governs.append("devices") }
        if version >= 6 { governs.append("signals") }
        return "version \(version): \(governs.joined(separator: ", "))"
    }

    /// Why there is none.
    static func absence(_ error: Int32) -> String {
        switch error {
        case ENOSYS: "the kernel is older than 5.13, or was built without it"
        case EOPNOTSUPP: "the kernel has it, but was started without it"
        default: "\(Errno(rawValue: error))"
        }
    }

    /// Adds a grant.
    ///
    /// - Returns: Why it can't be; nil if it is.
    private static func allow(
        _ grant: PathGrant, known: LandlockRights, in ruleset: Int32
    ) -> String? {
        let place = open(grant.path, Int32(greenroom_open_path) | O_CLOEXEC)
        guard place >= 0 else {
            return errno == ENOENT && grant.access == .write
                ? "it doesn't exist; make it, or name the folder that it will be in"
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
