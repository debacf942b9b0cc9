package import GreenroomConfig
package import GreenroomModel
import GreenroomMedia
import GreenroomPluginInterface
package import GreenroomSession

extension SessionPlan {
    /// Whether there is something that makes what the role makes.
    package func has(_ role: SessionFile.Role) -> Bool {
        slots[role.address] != nil || role == .share && shareBroadcast != nil
    }

    /// A command as the session takes it.
    ///
    /// - Parameter folder: The absolute folder that relative paths of settings start from.
    /// - Throws: Why this session can't do it.
    package func command(
        for command: SessionFile.Command, folder: String
    ) throws(CommandProblem) -> SessionCommand {
        guard has(command.role) else { throw CommandProblem("\(command.withoutPlugin).") }
        switch command {
        case .ceiling(let track, let limit):
            return .ceiling(track == .camera ? .camera : .share, limit)
        case .action(let action):
            switch action {
            case .mute: return .stop(.microphone)
            case .unmute: return .start(.microphone)
            case .pauseShare: return .stop(.share)
            case .resumeShare: return .start(.share)
            case .stopCamera: return .stop(.camera)
            case .startCamera: return .start(.camera)
            }
        case .set(let role, let name, let value):
            guard let source = slots[role.address] else {
                throw CommandProblem("a broadcast has no settings to change.")
            }
            let value = ParameterValue(value)
            let setting = try source.descriptor.liveSetting(name, value, role, folder: folder)
            return .set(role.address, name: name, value: setting.value)
        }
    }
}

extension PluginDescriptor {
    /// A new value for a parameter, checked.
    fileprivate func liveSetting(
        _ name: String, _ value: ParameterValue, _ role: SessionFile.Role, folder: String
    ) throws(CommandProblem) -> Setting {
        let live = parameters.filter(\.isLive).map(\.name)
        let choice =
            live.isEmpty
            ? "It has none that can." : "Those that can: \(live.joined(separator: ", "))."
        guard let parameter = parameters.first(where: { $0.name == name }) else {
            let meant = nearestName(to: name, among: live).map { " Did you mean \"\($0)\"?" } ?? ""
            throw CommandProblem(
                "\(self.name) (\(role)) has no setting \"\(name)\" that could change while it runs. "
                    + "\(choice)\(meant)")
        }
        guard parameter.isLive else {
            throw CommandProblem(
                "\(self.name) (\(role)) can't change \(name) while it runs: it is not live. \(choice)"
            )
        }
        // What else the plugin needs was given when it was made.
        let (settings, problems) = check(settings: [(name, value)], relativeTo: folder)
        if let problem = problems.first(where: { $0.name == name }) {
            throw CommandProblem("\(role).settings.\(name): \(problem.explanation)")
        }
        guard let setting = settings.first(where: { $0.name == name }) else {
            throw CommandProblem("\(role).settings.\(name) has no value.")
        }
        return setting
    }
}

extension SessionFile.Role {
    package var address: PluginAddress {
        switch self {
        case .camera: PluginAddress(.camera)
        case .preProcessor(let index): PluginAddress(.camera, filter: index)
        case .microphone: PluginAddress(.microphone)
        case .share: PluginAddress(.share)
        case .shareAudio: PluginAddress(.shareAudio)
        }
    }
}
