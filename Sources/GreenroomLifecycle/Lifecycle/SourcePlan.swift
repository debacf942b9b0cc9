package import GreenroomModel
package import GreenroomPluginInterface

/// A plugin with its settings, ready to create.
package struct SourcePlan: Sendable {
    /// The factory of the plugin's library.
    package var factory: any PluginFactory
    /// The plugin in the library.
    package var descriptor: PluginDescriptor
    /// All settings of the plugin, checked.
    package var settings: [PluginSetting]
    /// The plugin's entry in the session's configuration.
    package var configuration: PluginConfiguration
    /// The reaction to a failure.
    package var onFailure: FailurePolicy
    /// The plugin's isolation; nil for the host's process.
    package var isolation: IsolationPlan?

    /// Makes a plan.
    package init(
        factory: any PluginFactory, descriptor: PluginDescriptor, settings: [PluginSetting],
        configuration: PluginConfiguration? = nil, onFailure: FailurePolicy = .end,
        isolation: IsolationPlan? = nil
    ) {
        self.factory = factory
        self.descriptor = descriptor
        self.settings = settings
        self.configuration = configuration ?? PluginConfiguration(descriptor.id)
        self.onFailure = onFailure
        self.isolation = isolation
    }

    /// The folders and files that the plugin may write to; nil if it has the host's rights.
    var writable: [String]? {
        if configuration.connect != nil { return [] }
        guard let isolation, isolation.sandbox != .off else { return nil }
        return isolation.grants.write
    }

    /// Whether the plugin may control the session.
    package var mayControl: Bool { configuration.grants?.control ?? false }
}
