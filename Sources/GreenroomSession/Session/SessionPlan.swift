package import GreenroomLifecycle
package import GreenroomModel
import GreenroomOutputs

/// A configuration with its plugins loaded and its commands checked.
package struct SessionPlan: Sendable {
    /// The configuration.
    package var configuration: SessionConfiguration
    /// The plugins of the configuration's slots.
    package var slots: [SessionSlot<SourcePlan>]
    /// The outputs that are plugins, by their places in the configuration.
    package var outputs: [Int: SourcePlan]
    /// The filters of each participant's audio.
    package var callFilters: [SourcePlan]
    /// The parser for commands of plugins that may control the session; nil if it accepts none.
    package var controlParser: ControlParser?

    /// The hooks, with their keys.
    package var hooks: [HookTrigger: HookJob] = [:]
    /// The file of the report if no output records a folder; nil for no file.
    package var reportPath: String?
    /// Attempts to deliver an event in a folder. Blocks.
    var deliver: @Sendable (HookEvent, HookJob, _ folder: String) -> HookResult = {
        HookProcess.deliver($0, by: $1, in: $2)
    }

    /// Makes a plan.
    package init(
        _ configuration: SessionConfiguration, slots: [SessionSlot<SourcePlan>] = [],
        outputs: [Int: SourcePlan] = [:], callFilters: [SourcePlan] = []
    ) {
        self.configuration = configuration
        self.slots = slots
        self.outputs = outputs
        self.callFilters = callFilters
    }

    /// Every plugin with its address.
    package var plugins: [(address: PluginAddress, plugin: SourcePlan)] {
        slots.flatMap(\.plugins)
            + outputs.sorted { $0.key < $1.key }.map {
                (configuration.address(ofOutput: $0), $1)
            } + callFilters.enumerated().map { (PluginAddress.callFilter($0), $1) }
    }

    /// The names of the participants whom an output or a composer leaves out at the start.
    func except(of address: PluginAddress) -> [String] {
        switch address {
        case .output(let index): configuration.outputs[index].output.except
        case .source, .filter, .call, .callFilter: self[address]?.configuration.except ?? []
        }
    }

    /// Returns the plugin at an address; nil if there is none.
    package subscript(address: PluginAddress) -> SourcePlan? {
        switch address {
        case .output(let index): outputs[index]
        case .call: configuration.outputs.firstIndex { $0.output.isCall }.flatMap { outputs[$0] }
        case .source, .filter: slots[address]
        case .callFilter(let index): callFilters.indices.contains(index) ? callFilters[index] : nil
        }
    }
}
