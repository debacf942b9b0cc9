import GreenroomMedia
import GreenroomModel

/// The settings that reloads applied to a session.
struct TakenSettings: Sendable {
    private var values: [PluginAddress: [String: ParameterValue]] = [:]
    /// The settings of the last reload.
    private var last: [PluginAddress: Set<String>] = [:]
    /// Settings of a reload in which the session refused one setting; the session does not say
    /// which.
    private var unsure: [PluginAddress: Set<String>] = [:]

    mutating func add(_ command: SessionCommand) {
        guard case .set(let address, let name, let value) = command else { return }
        values[address, default: [:]][name] = value
        last[address, default: []].insert(name)
        unsure[address]?.remove(name)
    }

    /// Begins the next reload.
    ///
    /// - Parameter refused: The roles that have refused something of the last one.
    mutating func forget(_ refused: (all: Bool, roles: Set<String>)) {
        for (address, names) in last where refused.all || refused.roles.contains("\(address)") {
            unsure[address, default: []].formUnion(names)
        }
        last = [:]
    }

    /// The plugins' current settings. Settings of unknown state are left out, so the next reload
    /// sets them again.
    func changed(
        _ plugins: [PluginAddress: PluginConfiguration]
    ) -> [PluginAddress: PluginConfiguration] {
        var plugins = plugins
        for (address, new) in values {
            plugins[address]?.settings.merge(new) { $1 }
            for name in unsure[address] ?? [] { plugins[address]?.settings[name] = nil }
        }
        return plugins
    }
}
