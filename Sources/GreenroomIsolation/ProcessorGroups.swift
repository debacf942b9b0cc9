import CLinux
import Glibc
import GreenroomSystem
import Synchronization
import SystemPackage

/// Control groups that divide the processors between the host and each isolated plugin by weight, however
/// many threads a plugin has.
///
/// The groups need control groups version 2 with the controller `cpu`, and a group that the host
/// may divide. systemd delegates such a group with `Delegate=cpu`; in a container the root group
/// may be free. Without a group, ``ProcessorWatch`` detects a process that uses too much.
final class ProcessorGroups: Sendable {
    /// The groups of this process; nil if it may not divide a group.
    static let own = ProcessorGroups(in: OwnGroup.find())

    /// The weights of the groups. The kernel's default is 100.
    private static let weights = (host: 400, plugin: 100)
    private static let prefix = "greenroom-plugin-"

    private let folder: String

    /// Prepares a group: enables its controller for subgroups, and moves the host into a subgroup.
    ///
    /// - Returns: The groups; nil if preparing fails. A failure may leave the host in the subgroup.
    init?(in group: OwnGroup?) {
        guard let group else { return nil }
        folder = group.folder
        removeOld()
        // Only the root group may have both processes and subgroups with controllers.
        if !group.isRoot {
            let host = "\(folder)/greenroom-host"
            mkdir(host, 0o755)
            guard Self.write("\(getpid())", to: "\(host)/cgroup.procs"), group.isEmpty else {
                return nil
            }
        }
        guard Self.write("+cpu", to: "\(folder)/cgroup.subtree_control") else { return nil }
        if !group.isRoot {
            _ = Self.write("\(Self.weights.host)", to: "\(folder)/greenroom-host/cpu.weight")
        }
    }

    /// Moves a plugin's process to its own group.
    func add(_ process: pid_t) {
        let group = path(of: process)
        guard mkdir(group, 0o755) == 0 || errno == EEXIST,
            Self.write("\(Self.weights.plugin)", to: "\(group)/cpu.weight")
        else { return }
        _ = Self.write("\(process)", to: "\(group)/cgroup.procs")
    }

    /// Removes the group of a process that has ended.
    func remove(_ process: pid_t) { rmdir(path(of: process)) }

    private func path(of process: pid_t) -> String { "\(folder)/\(Self.prefix)\(process)" }

    /// Removes the empty groups of a killed host.
    private func removeOld() {
        for name in (try? FileDescriptor.names(in: folder)) ?? [] where name.hasPrefix(Self.prefix)
        {
            rmdir("\(folder)/\(name)")
        }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Glibc.write(file, text, text.utf8.count) == text.utf8.count
    }
}

/// The control group that this process may divide.
struct OwnGroup {
    /// The group's folder in the file system of control groups.
    var folder: String
    /// Whether the group is the root of all groups, which may have both processes and subgroups.
    var isRoot: Bool

    /// Whether no process is in the group itself.
    var isEmpty: Bool { Self.text(of: "\(folder)/cgroup.procs")?.isEmpty ?? false }

    /// The group of this process; nil if the group lacks the controller `cpu` or was not delegated.
    static func find() -> OwnGroup? {
        guard let place = text(of: "/proc/self/cgroup").flatMap(Self.place),
            let mount = text(of: "/proc/self/mountinfo").flatMap(Self.mount)
        else { return nil }
        let folder = place == "/" ? mount : mount + place
        // Unlike the root of all groups, a container's root has the file `cgroup.type`.
        let isRoot = place == "/" && access("\(folder)/cgroup.type", F_OK) != 0
        let group = OwnGroup(folder: folder, isRoot: isRoot)
        guard access(group.folder, W_OK) == 0, place == "/" || group.isDelegated,
            text(of: "\(group.folder)/cgroup.controllers").map({ $0.split { $0.isWhitespace } })?
                .contains("cpu") == true
        else { return nil }
        return group
    }

    /// Whether systemd has delegated the group (systemd.resource-control(5), `Delegate=`).
    private var isDelegated: Bool {
        ["user.delegate", "trusted.delegate"].contains { name in
            var value: UInt8 = 0
            return greenroom_attribute(folder, name, &value, 1) == 1 && value == UInt8(ascii: "1")
        }
    }

    /// The path of a process's group of version 2.
    ///
    /// - Parameter text: The content of `/proc/PID/cgroup`.
    static func place(in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    /// The mount point of control groups version 2; nil if not mounted.
    ///
    /// - Parameter text: The content of `/proc/PID/mountinfo`.
    static func mount(in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let separator = fields.firstIndex(of: "-"), separator > 4,
                fields[separator...].dropFirst().first == "cgroup2"
            else { continue }
            return String(fields[4])
        }
        return nil
    }

    private static func text(of path: String) -> String? {
        (try? FileDescriptor.contents(of: path, limit: 1 << 20)).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
