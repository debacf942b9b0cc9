import GreenroomLifecycle
import Glibc
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSandbox
import GreenroomSession
import GreenroomSystem

extension SessionPlan {
    /// Expected failures of the session on this machine, and dangerous grants.
    package var warnings: [ConfigurationProblem] {
        outputWarnings + diskWarnings + pathWarnings + secretFileWarnings + connectWarnings
            + grantWarnings
            + connectionWarnings + pipeWireWarnings + bundledOutputWarnings + warningsOfRun
    }

    /// The warnings that a run prints, too: who else can change files.
    package var warningsOfRun: [ConfigurationProblem] { sandboxWarnings + folderWarnings }

    /// Isolated plugins that this machine can't keep to their grants: bundled plugins, and plugins
    /// with `sandbox: partial`.
    private var sandboxWarnings: [ConfigurationProblem] {
        guard let gap = Sandbox.available.gap else { return [] }
        return isolatedPlugins.map { address in
            ConfigurationProblem(
                "this machine cannot enforce the plugin's grants: the kernel lacks \(gap). The plugin "
                    + "can do more than the session file allows. Use a newer kernel.",
                at: "\(address)")
        }
    }

    /// The mechanism that enforces grants without Landlock. nil if Landlock is present, if there is
    /// no such mechanism, or without isolated plugins.
    package var sandboxPromise: String? {
        let report = Sandbox.available
        guard report.gap == nil, report.hasFileBroker, !report.has(.landlock),
            !isolatedPlugins.isEmpty
        else { return nil }
        return
            "this machine lacks Landlock; the host opens files for the plugins, and enforces their "
            + "grants"
    }

    /// The plugins that have a sandbox.
    private var isolatedPlugins: [PluginAddress] {
        configuration.plugins.map(\.address).filter { address in
            self[address]?.isolation.map { $0.sandbox != .off } ?? false
        }
    }

    private var folderWarnings: [ConfigurationProblem] {
        configuration.outputs.enumerated().compactMap { index, output in
            output.output.concern.map {
                ConfigurationProblem($0, at: output.origin ?? "outputs[\(index)]")
            }
        }
    }

    private var outputWarnings: [ConfigurationProblem] {
        guard !configuration.outputs.isEmpty else {
            return [
                ConfigurationProblem(
                    "no outputs: nothing is recorded or shown. Add one, such as record: "
                        + "recordings/\(configuration.name).", at: PluginAddress.outputsKey)
            ]
        }
        let tracks = ConfiguredPlugins(of: configuration).tracks
        return configuration.outputs.enumerated().compactMap { index, output in
            output.output.obstacle(for: tracks).map {
                ConfigurationProblem($0, at: output.origin ?? "outputs[\(index)]")
            }
        }
    }

    /// The length of a session without a duration is unknown.
    private var diskWarnings: [ConfigurationProblem] {
        guard configuration.duration != nil else { return [] }
        return shortages(of: diskUses(of: largestTracks)).map { place, _, text in
            ConfigurationProblem(text, at: place)
        }
    }

    /// The paths of the secrets that have their text in the configuration, and not in a file.
    var secrets: [String] {
        configuration.plugins.flatMap { address, plugin in
            (self[address]?.descriptor.parameters ?? [])
                .filter { $0.isSecret && plugin.settings[$0.name] != nil }
                .map { "\(address).settings".appending(key: $0.name) }
        }
    }

    /// Private keys and secrets that other users of the machine can read.
    private var secretFileWarnings: [ConfigurationProblem] {
        configuration.plugins.flatMap { address, plugin -> [ConfigurationProblem] in
            guard let descriptor = self[address]?.descriptor else { return [] }
            let keys =
                descriptor.parameters.filter { $0.type == .path && $0.name.hasSuffix("key") }
                .map(\.name)
                + descriptor.parameters.filter(\.isSecret).map { SecretFile.key(of: $0.name) }
            return keys.compactMap { key in
                guard case .string(let name)? = plugin.settings[key],
                    let path = try? SecretFile.path(of: name, relativeTo: configuration.folder)
                else { return nil }
                var about = stat()
                guard stat(path, &about) == 0, about.st_mode & 0o004 != 0 else { return nil }
                return ConfigurationProblem(
                    "\(path): every user of this machine can read it. Run chmod 600 on it.",
                    at: "\(address).settings".appending(key: key))
            }
        }
    }

    /// Paths of the files that sources and filters read.
    private var pathWarnings: [ConfigurationProblem] {
        let given = Dictionary(configuration.plugins.map { ($0.address, $0.plugin.settings) }) {
            first, _ in first
        }
        return slots.flatMap(\.plugins).flatMap { address, source in
            source.settings.compactMap { setting -> ConfigurationProblem? in
                guard setting.type == .path, given[address]?[setting.name] != nil,
                    case .string(let path) = setting.value, !path.isEmpty,
                    let problem = Self.problem(ofReading: path)
                else { return nil }
                return ConfigurationProblem(
                    "\(path): \(problem)", at: "\(address).settings".appending(key: setting.name))
            }
        }
    }

    /// The reason why a file or folder can't be read, and the fix; nil if no reason is known.
    private static func problem(ofReading path: String) -> String? {
        guard resolvedPath(path) != nil else {
            return "no such file. Check the path, which is relative to the session file's folder."
        }
        guard access(path, R_OK) == 0 else {
            return "this user cannot read the file. Check its permissions."
        }
        var about = stat()
        guard stat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size == 0 else {
            return nil
        }
        return "the file is empty. Check the path."
    }

    private var connectWarnings: [ConfigurationProblem] {
        configuration.plugins.flatMap { address, plugin in
            plugin.connect.map { Self.problems(ofSocket: $0, "\(address).connect") } ?? []
        }
    }

    private static func problems(ofSocket socket: String, _ place: String) -> [ConfigurationProblem]
    {
        let path = String(socket.prefix { $0 != "#" })
        var about = stat()
        if lstat(path, &about) == 0 {
            guard about.st_mode & S_IFMT != S_IFSOCK else { return [] }
            return [
                ConfigurationProblem(
                    "the path is a file, not a socket. Remove it, or name another path.",
                    at: place)
            ]
        }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard stat(String(folder), &about) != 0 || about.st_mode & S_IFMT != S_IFDIR else {
            return []
        }
        return [
            ConfigurationProblem(
                "\(folder): no such folder. Make it, or name another path.", at: place)
        ]
    }

    /// Bundled plugins that are a device of PipeWire, where no PipeWire listens.
    private var pipeWireWarnings: [ConfigurationProblem] {
        let needing = plugins.filter { _, plugin in
            // VirtualCamera with a device does without.
            plugin.descriptor.id.hasPrefix("org.greenroom.virtual-")
                && !plugin.settings.contains { $0.name == "device" && $0.value != .string("") }
        }
        guard !needing.isEmpty, let problem = PipeWireSocket.problem else { return [] }
        return needing.map { ConfigurationProblem(problem, at: "\($0.address)") }
    }

    /// Sockets whose programs do for a plugin what its sandbox refuses.
    private var connectionWarnings: [ConfigurationProblem] {
        let startsPrograms =
            "the program behind it starts programs with your rights for the plugin"
        var dangers = [
            "/run/docker.sock": startsPrograms, "/run/containerd/containerd.sock": startsPrograms,
            "/run/podman/podman.sock": startsPrograms,
            "/run/dbus/system_bus_socket":
                "services of the system act with your rights for the plugin",
            "/run/systemd/private": startsPrograms,
            "/run/libvirt/libvirt-sock": startsPrograms,
        ]
        let user = "/run/user/\(getuid())"
        for folder in [user, environmentVariable("XDG_RUNTIME_DIR") ?? user] {
            for name in ["bus", "podman/podman.sock", "systemd/private"] {
                dangers["\(folder)/\(name)"] = startsPrograms
            }
        }
        let seesDisplay = "the plugin sees every window, reads the keyboard and types"
        if let bus = try? DesktopSockets().path(of: .sessionBus) { dangers[bus] = startsPrograms }
        if let agent = environmentVariable("SSH_AUTH_SOCK") {
            dangers[agent] = "the SSH agent signs with your keys for the plugin"
        }
        return configuration.plugins.flatMap { address, plugin -> [ConfigurationProblem] in
            guard self[address]?.isolation != nil else { return [] }
            return (plugin.grants?.connect ?? []).enumerated().compactMap { index, path in
                let file = resolvedPath(path) ?? path
                let danger =
                    dangers[path] ?? dangers[file]
                    ?? dangers.first { resolvedPath($0.key) == file }?.value
                    ?? (file.hasPrefix("/tmp/.X11-unix/") ? seesDisplay : nil)
                return danger.map { danger in
                    ConfigurationProblem(
                        "\(path): \(danger). Grant it only to a plugin that you trust.",
                        at: "\(address).allow.connect[\(index)]")
                }
            }
        }
    }

    private var grantWarnings: [ConfigurationProblem] {
        configuration.plugins.flatMap { address, plugin -> [ConfigurationProblem] in
            guard let grants = plugin.grants, self[address]?.isolation != nil else { return [] }
            let lists: [(key: String, access: PathGrant.Access, paths: [String])] = [
                ("read", .read, grants.read), ("write", .write, grants.write),
                ("devices", .device, grants.devices),
            ]
            return lists.flatMap { list in
                list.paths.enumerated().compactMap { index, path in
                    let missing =
                        resolvedPath(path) == nil
                        ? "no such file, so the host cannot grant it. Make it, or grant its future "
                            + "folder." : nil
                    let concern = PathGrant(path: path, access: list.access).concern
                    return (concern ?? missing).map {
                        ConfigurationProblem(
                            "\(path): \($0)", at: "\(address).allow.\(list.key)[\(index)]")
                    }
                }
            }
        }
    }
}
