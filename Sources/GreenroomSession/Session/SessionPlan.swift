package import GreenroomModel
package import GreenroomPluginInterface

/// The isolation of a plugin.
package struct IsolationPlan: Hashable, Sendable {
    /// How to confine the process.
    package var sandbox: SandboxMode
    /// The limit of private memory; frames do not count.
    package var memoryLimit: MemorySize
    /// Additional grants.
    package var grants: Grants

    /// Makes a plan.
    package init(
        sandbox: SandboxMode = .on,
        memoryLimit: MemorySize = SessionConfiguration.defaultMemoryLimit, grants: Grants = Grants()
    ) {
        self.sandbox = sandbox
        self.memoryLimit = memoryLimit
        self.grants = grants
    }
}

/// A plugin with its settings, ready to create.
package struct SourcePlan: Sendable {
    /// Its library.
    package var factory: any PluginFactory
    /// The plugin in the library.
    package var descriptor: PluginDescriptor
    /// All settings of the plugin, checked.
    package var settings: [Setting]
    /// The plugin as the session's configuration has it.
    package var configuration: PluginConfiguration
    /// What to do when it fails.
    package var onFailure: FailurePolicy
    /// Its isolation; nil for the host's process.
    package var isolation: IsolationPlan?

    /// Makes a plan.
    package init(
        factory: any PluginFactory, descriptor: PluginDescriptor, settings: [Setting],
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

    /// Whether it may control the session.
    package var mayControl: Bool { configuration.grants?.control ?? false }
}

/// A configuration with its plugins loaded and its commands checked.
package struct SessionPlan: Sendable {
    /// The configuration.
    package var configuration: SessionConfiguration
    /// The plugins of its slots.
    package var slots: [SessionSlot<SourcePlan>]
    /// The outputs that are plugins, by their places in the configuration.
    package var outputs: [Int: SourcePlan]
    /// Reads the commands of plugins that may control the session.
    package var controlParser: ControlParser?

    /// Makes a plan.
    package init(
        _ configuration: SessionConfiguration, slots: [SessionSlot<SourcePlan>] = [],
        outputs: [Int: SourcePlan] = [:]
    ) {
        self.configuration = configuration
        self.slots = slots
        self.outputs = outputs
    }

    /// Every plugin with its address.
    package var plugins: [(address: PluginAddress, plugin: SourcePlan)] {
        slots.flatMap(\.plugins)
            + outputs.sorted { $0.key < $1.key }.map {
                (configuration.address(ofOutput: $0), $1)
            }
    }

    /// The plugin at an address; nil without one.
    package subscript(address: PluginAddress) -> SourcePlan? {
        switch address {
        case .output(let index): outputs[index]
        case .call: configuration.outputs.firstIndex { $0.output.isCall }.flatMap { outputs[$0] }
        case .source, .filter: slots[address]
        }
    }
}
