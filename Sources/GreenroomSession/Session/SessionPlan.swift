package import GreenroomModel
package import GreenroomPluginInterface

/// A process of a plugin's own, and what it may do there.
package struct IsolationPlan: Hashable, Sendable {
    /// How the process is confined.
    package var sandbox: SandboxMode
    /// How much private memory it may have; frames do not count.
    package var memoryLimit: MemorySize
    /// What it may do besides what every one may.
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

/// A plugin with its settings, ready to be made.
package struct SourcePlan: Sendable {
    /// Where it comes from.
    package var factory: any PluginFactory
    /// Which one of the library.
    package var descriptor: PluginDescriptor
    /// Every setting of the plugin, checked.
    package var settings: [Setting]
    /// What its failure means.
    package var onFailure: FailurePolicy
    /// Of a filter, whether frames that it has not edited are withheld from the outputs.
    package var isRequired: Bool
    /// The process that it runs in; nil for the host's.
    package var isolation: IsolationPlan?

    /// Makes a plan.
    package init(
        factory: any PluginFactory, descriptor: PluginDescriptor, settings: [Setting],
        onFailure: FailurePolicy = .end, isRequired: Bool = false, isolation: IsolationPlan? = nil
    ) {
        self.factory = factory
        self.descriptor = descriptor
        self.settings = settings
        self.onFailure = onFailure
        self.isRequired = isRequired
        self.isolation = isolation
    }
}

/// A configuration whose plugins were found and whose commands were checked against them.
package struct SessionPlan: Sendable {
    /// What to run.
    package var configuration: SessionConfiguration
    /// The plugins of its slots.
    package var slots: [SessionSlot<SourcePlan>]

    /// Makes a plan.
    package init(
        _ configuration: SessionConfiguration, slots: [SessionSlot<SourcePlan>] = []
    ) {
        self.configuration = configuration
        self.slots = slots
    }
}
