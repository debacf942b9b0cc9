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
    private let rules: LandlockRuleset?
    private let processes: Int32
    private let unavailableReason: String

    var isPossible: Bool { rules != nil }

    /// Opens the files that a policy grants.
    ///
    /// - Parameter notes: Receives a line for each grant that fails.
    init(_ policy: SandboxPolicy, notes: inout [String]) {
        version = max(0, Int(greenroom_landlock_version()))
        guard version > 0 else {
            unavailableReason = Self.unavailableReason(errno)
            rules = nil
            processes = -1
            return
        }
        processes = open("/proc", Int32(greenroom_open_path) | O_CLOEXEC)
        do throws(Errno) {
            let rules = try LandlockRuleset(
                handling: .known(version: version),
                LandlockScopes(version: version, allowsNetwork: policy.allowsNetwork))
            let own = policy.ownGrants
            for grant in policy.grants {
                guard let problem = Self.allow(grant, in: rules) else { continue }
                // The system's own files differ between machines.
                if own.contains(grant) { notes.append("can't grant \(grant.path): \(problem)") }
            }
            self.rules = consume rules
            unavailableReason = ""
        } catch {
            rules = nil
            unavailableReason = "\(error)"
        }
    }

    deinit { if processes >= 0 { close(processes) } }

    /// Restricts this process.
    ///
    /// - Parameter showsProcesses: Whether to grant reading all of `/proc`. libdispatch reads the
    ///   state of its threads there and crashes without access. If the filter notifies the host of
    ///   opened files, the host opens those files instead.
    func apply(showsProcesses: Bool) -> SandboxReport.Entry {
        do throws(Errno) {
            // A refused rule hides more files, and nothing else.
            if showsProcesses { try? rules?.allow(processes, LandlockRights(.read)) }
            guard let _ = try rules?.restrict() else { return Self.absent(unavailableReason) }
        } catch {
            return Self.absent("\(error)")
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
    private static func allow(_ grant: PathGrant, in rules: borrowing LandlockRuleset) -> String? {
        do throws(Errno) {
            try rules.allow(grant.path, LandlockRights(grant.access))
            return nil
        } catch {
            return error == .noSuchFileOrDirectory && grant.access == .write
                ? "not found; make it, or grant its future folder" : "\(error)"
        }
    }

    private static func absent(_ text: String) -> SandboxReport.Entry {
        .init(layer: .landlock, state: .unavailable, text: text)
    }
}
