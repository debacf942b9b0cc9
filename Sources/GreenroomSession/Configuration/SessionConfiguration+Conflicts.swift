import GreenroomMedia
package import GreenroomModel
import GreenroomRuntime
import GreenroomSchema

/// Which plugins a configuration has, for checks of what needs them.
///
/// Of a session file, what is there and wrong counts, too: it is not told missing as well.
package struct SessionParts: Sendable {
    /// The roles that something makes the media of.
    package var roles: Set<SessionRole>
    /// How many filters a role has.
    package var filterCounts: [SessionRole: Int]
    /// Whether a broadcast makes the share.
    package var hasBroadcast: Bool

    package init(
        roles: Set<SessionRole>, filterCounts: [SessionRole: Int], hasBroadcast: Bool
    ) {
        self.roles = roles
        self.filterCounts = filterCounts
        self.hasBroadcast = hasBroadcast
        guard hasBroadcast, let role = SessionRole.ofBroadcasts else { return }
        self.roles.formUnion(SessionRole.allCases.filter { $0.follows(role) })
    }

    /// The parts of a configuration.
    package init(of configuration: SessionConfiguration) {
        self.init(
            roles: Set(configuration.slots.map(\.role)),
            filterCounts: Dictionary(
                configuration.slots.map { ($0.role, $0.filters.count) }, uniquingKeysWith: max),
            hasBroadcast: configuration.broadcast != nil)
    }

    package func has(_ address: PluginAddress) -> Bool {
        guard roles.contains(address.role) else { return false }
        guard let filter = address.filter else { return true }
        return filter < filterCounts[address.role, default: 0]
    }

    /// What outputs can take.
    fileprivate var tracks: TracksInFile {
        TracksInFile(
            video: Set(roles.filter { $0.medium == .video }.map(\.track)),
            hasAudio: roles.contains { $0.medium == .audio })
    }
}

// MARK: - What does not go together

extension SessionConfiguration {
    /// What does not go together, whatever the plugins are.
    package func conflicts(among parts: SessionParts) -> [ConfigurationProblem] {
        outputConflicts(parts) + timelineConflicts(parts) + clockConflicts(parts)
            + isolationConflicts
    }

    /// Outputs that don't go together, or want what the session does not have.
    private func outputConflicts(_ parts: SessionParts) -> [ConfigurationProblem] {
        outputs.enumerated().flatMap { index, output in
            output.output.conflicts(with: outputs[..<index].map(\.output), in: parts.tracks)
                .map { ConfigurationProblem($0, at: output.origin ?? "outputs[\(index)]") }
        }
    }

    /// Entries for plugins that the session does not have.
    private func timelineConflicts(_ parts: SessionParts) -> [ConfigurationProblem] {
        timeline.compactMap { entry in
            let command = entry.command
            guard let target = command.target else { return nil }
            guard parts.has(target) else {
                return ConfigurationProblem(
                    "\(command.withoutPlugin). Add one, or remove the entry.", at: entry.origin)
            }
            guard case .set = command, target.role.facts.takesBroadcast, parts.hasBroadcast else {
                return nil
            }
            return ConfigurationProblem(
                "a broadcast has no settings to change. Remove the entry.", at: entry.origin)
        }
    }

    /// That a session would never end and use all of the machine until then, or be over before
    /// anybody could connect.
    private func clockConflicts(_ parts: SessionParts) -> [ConfigurationProblem] {
        guard clock == .virtual else { return [] }
        var problems: [ConfigurationProblem] = []
        if duration == nil {
            problems.append(
                ConfigurationProblem(
                    "on the virtual clock a session needs a duration, or it would run for ever at "
                        + "full speed. Add one to \"session\", or --duration 10s.",
                    at: "session.clock"))
        }
        if parts.hasBroadcast {
            problems.append(
                ConfigurationProblem(
                    "on the virtual clock the session would be over before a broadcast connects. "
                        + "Use the real clock, or name a plugin in place of the broadcast.",
                    at: "session.clock"))
        }
        return problems
    }

    /// Keys of plugins that need a process of their own, where the host's is stated.
    private var isolationConflicts: [ConfigurationProblem] {
        plugins.flatMap { address, plugin -> [ConfigurationProblem] in
            guard (plugin.isolation ?? isolation) == .host else { return [] }
            let place = plugin.isolation == nil ? "session.isolation" : "\(address).isolation"
            return plugin.processKeys(at: address, because: "\(place) is host")
        }
    }

    /// Keys of a plugin that do not go with where it runs, as far as that depends on whether it
    /// is bundled.
    package func conflicts(
        of plugin: PluginConfiguration, at address: PluginAddress, isBundled: Bool
    ) -> [ConfigurationProblem] {
        guard isBundled, (plugin.isolation ?? isolation) == nil else { return [] }
        return plugin.processKeys(
            at: address,
            because: "a bundled plugin runs in the host's process unless it says otherwise")
    }
}

extension PluginConfiguration {
    /// A problem for each key that only a process of its own makes sense of.
    ///
    /// - Parameter reason: Why the plugin has none.
    fileprivate func processKeys(
        at address: PluginAddress, because reason: String
    ) -> [ConfigurationProblem] {
        let keys = [
            (sandbox == nil, "sandbox"), (memoryLimit == nil, "memory-limit"),
            (grants == nil, "allow"),
        ]
        var problems = keys.filter { !$0.0 }.map { _, key in
            ConfigurationProblem(
                "applies only to a plugin in its own process, and \(reason). Write isolation: "
                    + "process for the plugin, or remove this.", at: "\(address).\(key)")
        }
        if onFailure == .restart {
            problems.append(
                ConfigurationProblem(
                    "only a plugin in its own process can be restarted, and \(reason). "
                        + "Write isolation: process for the plugin, or on-failure: off.",
                    at: "\(address).on-failure"))
        }
        return problems
    }
}

// MARK: - What is legal and can't be meant

extension SessionConfiguration {
    /// What is legal and can't be meant.
    package var warnings: [ConfigurationProblem] { vainEntries + vainIsolation }

    /// Entries that are due when the session is over.
    private var vainEntries: [ConfigurationProblem] {
        guard let duration else { return [] }
        return timeline.filter { $0.time >= duration }.map {
            ConfigurationProblem(
                "never executed: due at \($0.time.asWritten), and the session ends at "
                    + "\(duration.asWritten).", at: $0.origin)
        }
    }

    /// What is said of processes and sandboxes that no plugin has.
    private var vainIsolation: [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        if isolation == .host, plugins.allSatisfy({ ($0.plugin.isolation ?? .host) == .host }) {
            let keys = [(sandbox == nil, "sandbox"), (memoryLimit == nil, "memory-limit")]
            problems += keys.filter { !$0.0 }.map { _, key in
                ConfigurationProblem(
                    "every plugin runs in the host's process, so it holds for none.",
                    at: "session.\(key)")
            }
        }
        for (address, plugin) in plugins
        where plugin.grants != nil && process(of: plugin).sandbox == .off {
            problems.append(
                ConfigurationProblem(
                    "without a sandbox the plugin may do what the host may, so it grants nothing.",
                    at: "\(address).allow"))
        }
        return problems
    }
}
