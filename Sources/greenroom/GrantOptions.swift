import ArgumentParser
import GreenroomConfig
import GreenroomSchema
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomValidator

/// The plugin's grants.
struct GrantOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file or folder that the plugin may read; paths in its settings need no grant.",
            valueName: "path"))
    var allowRead: [String] = []

    @Option(help: ArgumentHelp("A file or folder that the plugin may write.", valueName: "path"))
    var allowWrite: [String] = []

    @Option(help: ArgumentHelp("A device that the plugin may use.", valueName: "path"))
    var allowDevice: [String] = []

    @Flag(help: "Let the plugin use the network.")
    var allowNetwork = false

    @Option(
        help: ArgumentHelp(
            "A Unix socket that the host connects for the plugin.", valueName: "path"))
    var allowConnect: [String] = []

    @Flag(help: "Connect the plugin to the X server or the Wayland compositor.")
    var allowDisplay = false

    @Flag(help: "Connect the plugin to PipeWire.")
    var allowPipewire = false

    func apply(to options: inout Validator.Options) {
        let here = resolvedPath(".") ?? "/"
        options.read = allowRead.map { absolutePath($0, from: here) }
        options.write = allowWrite.map { absolutePath($0, from: here) }
        options.devices = allowDevice.map { absolutePath($0, from: here) }
        options.network = allowNetwork
        options.connect = allowConnect.map { absolutePath($0, from: here) }
        options.display = allowDisplay
        options.pipewire = allowPipewire
    }

    /// The arguments, each with the matching `allow` entry of a session file.
    var entries: [(argument: String, assignment: String)] {
        let lists = [
            ("read", "--allow-read", allowRead), ("write", "--allow-write", allowWrite),
            ("devices", "--allow-device", allowDevice),
            ("connect", "--allow-connect", allowConnect),
        ]
        let paths = lists.flatMap { key, option, paths in
            paths.enumerated().map { index, path in
                (
                    argument: "\(option) \(path)",
                    assignment: "\(key)[\(index)]=\(JSON.string(path).line)"
                )
            }
        }
        let flags = [
            (allowNetwork, "network"), (allowDisplay, "display"), (allowPipewire, "pipewire"),
        ]
        return paths + flags.filter(\.0).map { ("--allow-\($1)", "\($1)=true") }
    }
}
