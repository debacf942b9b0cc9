import GreenroomLifecycle
import GreenroomMedia
package import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomSchema

extension SessionPlan {
    /// Whether the session has a plugin at an address.
    package func has(_ address: PluginAddress) -> Bool { self[address] != nil }

    /// Checks a command against the session's plugins.
    ///
    /// - Parameter isFromFile: Whether the session file contains the command. Other commands change a setting
    ///   that names a file, a device, an address or a command only to a value that the file names or grants.
    /// - Returns: The command, with its value converted for the plugin.
    /// - Throws: ``CommandError`` if this session cannot execute the command.
    package func check(
        _ command: SessionCommand, isFromFile: Bool
    ) throws(CommandError) -> SessionCommand {
        if [.pauseRecording, .resumeRecording].contains(command) { try checkPause() }
        if command == .saveReplay, !outputs.values.contains(where: \.keepsReplay) {
            throw CommandError(
                "no output keeps a replay. Add one: plugin: Recorder, settings: { file: replay.mkv, "
                    + "replay-seconds: 30 }.")
        }
        switch command {
        case .gain(.participant, _), .delay(.participant, _), .delay(.participantVideo, _):
            guard configuration.outputs.contains(where: \.output.isCall) else {
                throw CommandError("the session has no call, and so no participants.")
            }
        default: break
        }
        if case .except(let address, _) = command { try checkException(of: address) }
        guard let target = command.target else { return command }
        guard has(target) else {
            let roles = ConfiguredPlugins(of: configuration).roles
            throw CommandError(command.withoutPlugin(among: roles))
        }
        guard case .set(let address, let name, let value) = command else { return command }
        guard let source = self[address], source.configuration.connect == nil else {
            throw CommandError("a program that connects has its own settings.")
        }
        let setting = try source.descriptor.liveSetting(
            name, value, address, folder: configuration.folder)
        if let problem = problems(of: name, setting.value, at: address).first {
            throw CommandError("\(address).settings.\(name): \(problem.text)")
        }
        if !isFromFile,
            source.descriptor.parameters.contains(where: { $0.name == name && $0.isResource })
        {
            let resources = NamedResources(
                named: named(name, at: address, source),
                grants: source.isolation?.grants ?? source.configuration.grants ?? Grants())
            guard resources.contain(setting) else {
                throw CommandError(
                    "\(address).settings.\(name): the session file neither names nor grants this value. "
                        + "While the session runs, the setting changes only to values that the file names in the "
                        + "setting or in the timeline, or that allow grants. Add the value to the file."
                )
            }
        }
        return .set(address, name: name, value: setting.value)
    }

    /// Throws unless a plugin that takes participants' tracks is at an address.
    private func checkException(of address: PluginAddress) throws(CommandError) {
        switch address {
        case .source(let role) where role.composes: return
        case .output(let index):
            guard configuration.outputs.indices.contains(index), outputs[index] == nil else {
                return
            }
            throw CommandError(
                "\(address) is not a plugin, and leaves out the same people until the session ends."
            )
        case .source, .filter, .call, .callFilter:
            throw CommandError("only outputs and stages leave people out.")
        }
    }

    /// Throws unless every recording can pause: people must not be recorded who were told otherwise.
    private func checkPause() throws(CommandError) {
        if let index = configuration.outputs.firstIndex(where: { $0.output.makesFiles }) {
            throw CommandError(
                "\(configuration.address(ofOutput: index)) records a folder, which can't pause. Record "
                    + "to one file, such as record: call.mkv.")
        }
        guard outputs.values.contains(where: \.descriptor.canPause) else {
            throw CommandError(
                "the session has no recording that can pause. Add one, such as record: call.mkv.")
        }
    }

    /// The values of a setting that the session file contains.
    private func named(
        _ name: String, at address: PluginAddress, _ source: SourcePlan
    ) -> [ParameterValue] {
        source.settings.filter { $0.name == name }.map(\.value)
            + configuration.timeline.compactMap { entry in
                guard case .set(address, name, let value) = entry.command else { return nil }
                return try? source.descriptor.liveSetting(
                    name, value, address, folder: configuration.folder
                ).value
            }
    }
}

extension PluginDescriptor {
    /// Returns a new value for a parameter, checked.
    fileprivate func liveSetting(
        _ name: String, _ value: ParameterValue, _ address: PluginAddress, folder: String
    ) throws(CommandError) -> PluginSetting {
        let live = parameters.filter(\.isLive).map(\.name)
        let choice =
            live.isEmpty
            ? "It has no live settings." : "Live settings: \(live.joined(separator: ", "))."
        guard let parameter = parameters.first(where: { $0.name == name }) else {
            let meant = nearestName(to: name, among: live).map { " Did you mean \"\($0)\"?" } ?? ""
            throw CommandError(
                "\(self.name) (\(address)) has no live setting \"\(name)\". \(choice)\(meant)")
        }
        guard parameter.isLive else {
            throw CommandError(
                "\(name) of \(self.name) (\(address)) is not live: it cannot change while the plugin "
                    + "runs. \(choice)"
            )
        }
        // Problems of other settings were checked when the plugin was created.
        let (settings, problems) = check(settings: [(name, value)], relativeTo: folder)
        if let problem = problems.first(where: { $0.name == name }) {
            throw CommandError("\(address).settings.\(name): \(problem)")
        }
        guard let setting = settings.first(where: { $0.name == name }) else {
            throw CommandError("\(address).settings.\(name) has no value.")
        }
        return setting
    }
}
