import CLinux
import Glibc
import GreenroomSystem
import Synchronization
import SystemPackage

/// Control groups that divide the processors between the host and each isolated plugin by weight, however
/// many threads a plugin has.
///
/// They need version 2 of control groups with the controller `cpu`, and a group that is the host's own to
/// divide: systemd delegates one with `Delegate=cpu`, and a container's root may be alone with it. Where there is
/// none, ``ProcessorWatch`` finds the process that takes too much.
final class ProcessorGroups: Sendable {
    /// The groups of this process; nil where it has none to divide.
    static let own = ProcessorGroups(in: OwnGroup.find())

    /// The weights; every group that says nothing has 100.
    private static let weights = (host: 400, plugin: 100)
    private static let prefix = "greenroom-plugin-"

    private let folder: String

    /// Prepares a group: its controller is for those below it, and the host itself is in one of them.
    ///
    /// - Returns: nil if that does not work; nothing has changed then but the host's group.
    init?(in group: OwnGroup?) {
        guard let group else { return nil }
        folder = group.folder
        removeOld()
        // A group with processes can't have parts with controllers, but for the root.
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

    /// Gives a plugin's process a group of its own.
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

    /// Removes the empty groups that a host has left that was killed.
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
    /// Its folder in the file system of control groups.
    var folder: String
    /// Whether it is the root of all: that may have processes and parts.
    var isRoot: Bool

    /// Whether it has no process of its own.
    var isEmpty: Bool { Self.text(of: "\(folder)/cgroup.procs")?.isEmpty ?? false }

    /// The group of this process, if it has the controller `cpu` and is this process's own.
    static func find() -> OwnGroup? {
        guard let place = text(of: "/proc/self/cgroup").flatMap(Self.place),
            let mount = text(of: "/proc/self/mountinfo").flatMap(Self.mount)
        else { return nil }
        let folder = place == "/" ? mount : mount + place
        // The root of a container has a type as other groups have.
        let isRoot = place == "/" && access("\(folder)/cgroup.type", F_OK) != 0
        let group = OwnGroup(folder: folder, isRoot: isRoot)
        guard access(group.folder, W_OK) == 0, place == "/" || group.isDelegated,
            text(of: "\(group.folder)/cgroup.controllers").map({ $0.split { $0.isWhitespace } })?
                .contains("cpu") == true
        else { return nil }
        return group
    }

    /// Whether systemd has given the group away (systemd.resource-control(5), `Delegate=`).
    private var isDelegated: Bool {
        ["user.delegate", "trusted.delegate"].contains { name in
            var value: UInt8 = 0
            return greenroom_attribute(folder, name, &value, 1) == 1 && value == UInt8(ascii: "1")
        }
    }

    /// The path of a process's group of version 2.
    ///
    /// - Parameter text: Of `/proc/PID/cgroup`.
    static func place(in text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }

    /// Where groups of version 2 are mounted.
    ///
    /// - Parameter text: Of `/proc/PID/mountinfo`.
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
