import GreenroomMedia
package import GreenroomModel
package import GreenroomOutputs
import GreenroomRuntime
import GreenroomSchema

/// The plugins of a configuration, for checks that depend on them.
///
/// An invalid plugin of a session file counts, so that the check does not also report a missing
/// plugin.
package struct ConfiguredPlugins: Sendable {
    /// The roles that have a source.
    package var roles: Set<SessionRole>
    /// The number of filters for each role.
    package var filterCounts: [SessionRole: Int]
    /// The places of the outputs that are plugins.
    package var pluginOutputs: Set<Int>
    /// Whether there is a call.
    package var hasCall: Bool
    /// The number of filters of participants' audio.
    package var callFilterCount: Int

    package init(
        roles: Set<SessionRole>, filterCounts: [SessionRole: Int], pluginOutputs: Set<Int>,
        hasCall: Bool, callFilterCount: Int = 0
    ) {
        self.callFilterCount = callFilterCount
        self.roles = roles
        self.filterCounts = filterCounts
        self.pluginOutputs = pluginOutputs
        self.hasCall = hasCall
    }

    /// The plugins of a configuration.
    package init(of configuration: SessionConfiguration) {
        self.init(
            roles: Set(configuration.slots.map(\.role)),
            filterCounts: Dictionary(
                configuration.slots.map { ($0.role, $0.filters.count) }, uniquingKeysWith: max),
            pluginOutputs: Set(configuration.outputPlugins.map(\.index)),
            hasCall: configuration.outputs.contains(where: \.output.isCall),
            callFilterCount: configuration.callFilters.count)
    }

    package func has(_ address: PluginAddress) -> Bool {
        switch address {
        case .source(let role): roles.contains(role)
        case .filter(let filter, let role):
            roles.contains(role) && filter < filterCounts[role, default: 0]
        case .output(let index): pluginOutputs.contains(index)
        case .call: hasCall
        case .callFilter(let index): index < callFilterCount
        }
    }

    /// The tracks for outputs.
    package var tracks: TracksInFile {
        TracksInFile(
            video: Set(roles.filter { $0.medium == .video }.map(\.track)),
            audio: Set(roles.filter { $0.medium == .audio }.map(\.track)), hasCall: hasCall)
    }
}

// MARK: - Conflicts

extension SessionConfiguration {
    /// The conflicts that do not depend on the loaded plugins.
    package func conflicts(among plugins: ConfiguredPlugins) -> [ConfigurationProblem] {
        outputConflicts(plugins) + timelineConflicts(plugins) + clockConflicts(plugins)
            + isolationConflicts + connectConflicts + pythonConflicts + hookConflicts
    }

    /// Outputs that conflict, or need a track that the session does not have.
    private func outputConflicts(_ plugins: ConfiguredPlugins) -> [ConfigurationProblem] {
        let all = outputs.map(\.output)
        return outputs.enumerated().flatMap { index, output in
            output.output.conflicts(with: all[..<index], in: plugins.tracks)
                .map { ConfigurationProblem($0, at: output.origin ?? "outputs[\(index)]") }
        }
    }

    /// Hooks without a program, or with an address that is not safe.
    private var hookConflicts: [ConfigurationProblem] {
        hooks.compactMap { trigger, action in
            let path = "on.\(trigger.rawValue)"
            switch action {
            case .command(let words):
                guard words.first?.isEmpty ?? true else { return nil }
                return ConfigurationProblem(
                    "needs a program and its arguments, such as [logger, text].", at: path)
            case .post(let url, _):
                return HookAction.problem(ofURL: url).map {
                    ConfigurationProblem($0, at: "\(path).post")
                }
            }
        }
    }

    /// Timeline entries for plugins that the session does not have.
    private func timelineConflicts(_ plugins: ConfiguredPlugins) -> [ConfigurationProblem] {
        timeline.compactMap { entry in
            let command = entry.command
            guard let target = command.target else { return nil }
            guard plugins.has(target) else {
                return ConfigurationProblem(
                    command.withoutPlugin(among: plugins.roles, orElse: "remove the entry"),
                    at: entry.origin)
            }
            guard case .set = command,
                self.plugins.contains(where: {
                    $0.address == target && $0.plugin.connect != nil
                })
            else { return nil }
            return ConfigurationProblem(
                "a program that connects has its own settings. Remove the entry.", at: entry.origin)
        }
    }

    /// Conflicts with a virtual clock: without a duration the session would run at full speed
    /// forever, and a program could not connect in time.
    private func clockConflicts(_ plugins: ConfiguredPlugins) -> [ConfigurationProblem] {
        guard clock == .virtual else { return [] }
        var problems: [ConfigurationProblem] = []
        if duration == nil {
            problems.append(
                ConfigurationProblem(
                    "the virtual clock needs a duration; without one the session runs "
                        + "forever. Add one to \"session\", or --duration 10s.",
                    at: "session.clock"))
        }
        if self.plugins.contains(where: { $0.plugin.connect != nil }) {
            problems.append(
                ConfigurationProblem(
                    "the virtual clock ends the session before a program can connect. "
                        + "Use the real clock, or name a plugin instead of the socket.",
                    at: "session.clock"))
        }
        return problems
    }

    /// Keys for plugins that the host starts on plugins of programs that connect.
    private var connectConflicts: [ConfigurationProblem] {
        // A plugin besides a socket is reported already.
        plugins.filter { $0.plugin.connect != nil && $0.plugin.plugin.isEmpty }.flatMap {
            address, plugin in
            let keys = [
                (plugin.python == nil, "python"), (plugin.settings.isEmpty, "settings"),
                (plugin.onFailure == nil, "on-failure"),
                (plugin.startDeadline == nil, "start-deadline"),
                (plugin.isolation == nil, "isolation"),
                (plugin.sandbox == nil, "sandbox"), (plugin.memoryLimit == nil, "memory-limit"),
                (plugin.grants?.needProcess != true, "allow"),
            ]
            return keys.filter { !$0.0 }.map { _, key in
                ConfigurationProblem(
                    "applies only to plugins that the host starts, and a program connects to this "
                        + "socket. Remove it, or name a plugin instead of the socket.",
                    at: "\(address).\(key)", isOfKey: true)
            }
        }
    }

    /// Interpreters for plugins that need none, because the plugin is not a script.
    private var pythonConflicts: [ConfigurationProblem] {
        plugins.compactMap { address, plugin in
            let file = plugin.plugin.prefix { $0 != "#" }
            guard plugin.python != nil, !file.isEmpty, !file.hasSuffix(".py") else { return nil }
            return ConfigurationProblem(
                "applies only to scripts in Python. Remove it, or name a script, such as ./bot.py.",
                at: "\(address).python", isOfKey: true)
        }
    }

    /// Keys for isolated plugins on plugins in the host's process.
    private var isolationConflicts: [ConfigurationProblem] {
        plugins.flatMap { address, plugin -> [ConfigurationProblem] in
            guard plugin.connect == nil, (plugin.isolation ?? isolation) == .host else { return [] }
            let place = plugin.isolation == nil ? "session.isolation" : "\(address).isolation"
            return plugin.processKeys(at: address, because: "\(place) is host")
        }
    }

    /// The conflicts with the plugin's isolation, if the configuration leaves the isolation to the
    /// default.
    package func conflicts(
        of plugin: PluginConfiguration, at address: PluginAddress, standard: Isolation
    ) -> [ConfigurationProblem] {
        guard standard == .host, (plugin.isolation ?? isolation) == nil else { return [] }
        return plugin.processKeys(
            at: address,
            because: "a bundled plugin runs in the host's process by default")
    }
}

extension PluginConfiguration {
    /// A problem for each key that needs an isolated plugin.
    ///
    /// - Parameter reason: The reason for running the plugin in the host's process.
    fileprivate func processKeys(
        at address: PluginAddress, because reason: String
    ) -> [ConfigurationProblem] {
        let keys = [
            (sandbox == nil, "sandbox"), (memoryLimit == nil, "memory-limit"),
            (grants?.needProcess != true, "allow"),
        ]
        var problems = keys.filter { !$0.0 }.map { _, key in
            ConfigurationProblem(
                "applies only to a plugin in a separate process, and \(reason). Write isolation: "
                    + "process for the plugin, or remove this.", at: "\(address).\(key)")
        }
        if onFailure == .restart {
            problems.append(
                ConfigurationProblem(
                    "only a plugin in a separate process can be restarted, and \(reason). "
                        + "Write isolation: process for the plugin, or on-failure: off.",
                    at: "\(address).on-failure"))
        }
        return problems
    }
}

// MARK: - Warnings

extension SessionConfiguration {
    /// Warnings about legal but unlikely values.
    package var warnings: [ConfigurationProblem] { lateEntries + unusedIsolation }

    /// Timeline entries after the end of the session.
    private var lateEntries: [ConfigurationProblem] {
        guard let duration else { return [] }
        return timeline.filter { $0.time >= duration }.map {
            ConfigurationProblem(
                "never executed: due at \($0.time.asWritten), and the session ends at "
                    + "\(duration.asWritten).", at: $0.origin)
        }
    }

    /// Isolation keys without a plugin to apply to.
    private var unusedIsolation: [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if isolation == .host, plugins.allSatisfy({ ($0.plugin.isolation ?? .host) == .host }) {
            let keys = [(sandbox == nil, "sandbox"), (memoryLimit == nil, "memory-limit")]
            problems += keys.filter { !$0.0 }.map { _, key in
                ConfigurationProblem(
                    "every plugin runs in the host's process, so this key applies to none.",
                    at: "session.\(key)")
            }
        }
        for (address, plugin) in plugins
        where plugin.grants?.needProcess == true && process(of: plugin).sandbox == .off {
            problems.append(
                ConfigurationProblem(
                    "has no effect without a sandbox: the plugin has all rights of the host.",
                    at: "\(address).allow"))
        }
        return problems
    }
}
