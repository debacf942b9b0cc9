import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomOutputs
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// A plugin in a running session: its plan and instance, and the input of its frames.
///
/// This is a class because the session passes through its plugins several times a second.
final class SessionPlugin: Sendable {
    let address: PluginAddress
    let plan: SourcePlan
    let instance: PluginInstance
    /// The queue of the source's frames; nil for plugins other than video sources.
    let input: VideoTrackInput?
    /// The pool of the source's frames; nil for plugins other than video sources.
    let pool: FramePool?
    /// The feed of an output, a call or a composer; nil for other plugins.
    let feed: OutputFeed?

    init(
        address: PluginAddress, plan: SourcePlan, instance: PluginInstance,
        input: VideoTrackInput? = nil, pool: FramePool? = nil, feed: OutputFeed? = nil
    ) {
        self.address = address
        self.plan = plan
        self.instance = instance
        self.input = input
        self.pool = pool
        self.feed = feed
    }

    /// Number of the plugin in its session.
    var number: Int { instance.number }

    /// The track of the plugin's video; nil for audio sources, filters and outputs.
    var videoTrack: VideoTrackKind? {
        guard case .source(let role) = address, role.medium == .video else { return nil }
        return role.track
    }

    /// The role of a source; nil for other plugins.
    var role: SessionRole? { address.filter == nil ? address.role : nil }
}

/// The plugins of a session, by address.
struct PluginSlots {
    /// Limit of a track's frames in use: 8 leases; the track's queue; 8 in senders, filters and the
    /// converter; the queue of each output's branch; the frames that output plugins keep; and the
    /// last frame, for a plugin that begins to receive the track.
    private static func poolLimit(outputs: Int, plugins: Int) -> Int {
        16 + min(plugins, 1) + VideoTrackInput.capacity + VideoBranch.mostFramesInUse * outputs
            + Int(GR_MAX_KEPT) * plugins
    }

    /// The sources, sorted by role.
    private(set) var sources: [SessionPlugin] = []
    /// The filters, in the order of editing.
    private(set) var filters: [SessionPlugin] = []
    /// The outputs that are plugins.
    private(set) var outputs: [SessionPlugin] = []
    /// Sources, filters and outputs.
    private(set) var all: [SessionPlugin]
    /// The filters of participants' audio.
    var callFilters: CallFilters
    /// Every filter, including filters that left.
    private let everyFilter: [SessionPlugin]
    /// All plugins, including plugins that left.
    private(set) var everyone: [SessionPlugin]
    /// The instances of all plugins, even of plugins that left; for the report.
    var instances: [PluginInstance] { everyone.map(\.instance) }
    /// The call, if it has not left.
    var call: SessionPlugin? { outputs.first { $0.instance.roster != nil } }
    /// The call's instance, even if the call has left.
    let callInstance: PluginInstance?

    private let hasControllers: Bool

    /// The feeds of all output plugins and composers, including plugins that left.
    let feeds: [OutputFeed]

    /// Makes an instance for each plugin of a plan.
    init(
        _ plan: SessionPlan, clock: SessionClock, events: SessionEvents, control: ControlGrants?
    ) {
        let frameLimit = Self.poolLimit(
            outputs: plan.configuration.outputs.count,
            plugins: plan.outputs.count + plan.slots.count { $0.role.composes })
        let slots = plan.slots.sorted { $0.role < $1.role }
        var ingests: [SessionRole: AudioIngest] = [:]
        for (number, slot) in slots.enumerated() where slot.role.medium == .audio {
            ingests[slot.role] = AudioIngest(
                role: "\(PluginAddress(slot.role))", number: number, clock: clock, events: events)
        }
        for (number, slot) in slots.enumerated() {
            let address = PluginAddress(slot.role)
            let name = "\(address)"
            let pausing = slots.map(\.role).filter {
                slot.role.kind.facts.canPause && $0.follows(slot.role)
            }
            switch slot.role.medium {
            case .video:
                let pool = FramePool(limit: frameLimit)
                let input = VideoTrackInput(clock: clock)
                let feed =
                    slot.role.composes
                    ? OutputFeed(
                        role: name, name: slot.plugin.descriptor.name, number: number,
                        selection: nil, isComposer: true, learnsOfStages: false, events: events)
                    : nil
                let instance = PluginInstance(
                    plan: slot.plugin, number: number, role: name, clock: clock, events: events,
                    videoIngest: VideoIngest(pool: pool, track: input, clock: clock) {
                        events.send(.note(role: name, text: $0))
                    }, pausedAudio: pausing.compactMap { ingests[$0] }, feed: feed,
                    control: control?.grant(of: name))
                sources.append(
                    SessionPlugin(
                        address: address, plan: slot.plugin, instance: instance, input: input,
                        pool: pool, feed: feed))
            case .audio:
                let instance = PluginInstance(
                    plan: slot.plugin, number: number, role: name, clock: clock, events: events,
                    audioIngest: ingests[slot.role],
                    pausedAudio: pausing.compactMap { ingests[$0] },
                    control: control?.grant(of: name))
                sources.append(
                    SessionPlugin(address: address, plan: slot.plugin, instance: instance))
            }
        }
        let chain = slots.flatMap(\.plugins).filter { $0.address.filter != nil }
        for (number, (address, plugin)) in chain.enumerated() {
            let instance = PluginInstance(
                plan: plugin, number: slots.count + number, role: "\(address)", clock: clock,
                events: events,
                // Outputs receive edited frames unchanged.
                ownFrameLimit: address.role?.medium == .video ? frameLimit : 0,
                control: control?.grant(of: "\(address)"))
            filters.append(SessionPlugin(address: address, plan: plugin, instance: instance))
        }
        let taking = plan.outputs.sorted { $0.key < $1.key }
        for (number, (index, plugin)) in taking.enumerated() {
            let address = plan.configuration.address(ofOutput: index)
            let number = slots.count + chain.count + number
            let feed = OutputFeed(
                role: "\(address)", name: plugin.descriptor.name, number: number,
                selection: plan.configuration.outputs[index].output.selection,
                learnsOfStages: !plugin.descriptor.kind.isCall, events: events)
            let roster =
                plugin.descriptor.kind.isCall
                ? CallRoster(
                    plugin: number, frameLimit: frameLimit, maximum: plan.configuration.maximum,
                    clock: clock, events: events)
                : nil
            let instance = PluginInstance(
                plan: plugin, number: number, role: "\(address)", clock: clock, events: events,
                feed: feed, roster: roster,
                ownFrameLimit: roster == nil ? 0 : 4 * frameLimit,
                control: control?.grant(of: "\(address)"))
            outputs.append(
                SessionPlugin(address: address, plan: plugin, instance: instance, feed: feed))
        }
        everyFilter = filters
        callFilters = CallFilters(
            plan.callFilters, clock: clock, events: events, control: control)
        filters += callFilters.spareMembers
        all = sources + filters + outputs
        everyone = all
        feeds = (outputs + sources).compactMap(\.feed)
        callInstance = all.first { $0.instance.roster != nil }?.instance
        hasControllers = all.contains { $0.instance.controlGrant != nil }
    }

    /// The plugins that may control the session.
    var controllers: [SessionPlugin] {
        hasControllers ? all.filter { $0.instance.controlGrant != nil } : []
    }

    /// The composers among the sources.
    var composers: [SessionPlugin] { sources.filter { $0.feed != nil } }

    /// The plugins that receive media: outputs and composers.
    var takers: [SessionPlugin] { outputs + composers }

    /// Returns the source of a role.
    subscript(role: SessionRole) -> SessionPlugin? {
        sources.first { $0.address.role == role }
    }

    /// Returns the plugin at an address.
    subscript(address: PluginAddress) -> SessionPlugin? {
        all.first { $0.address == address }
    }

    /// Returns the plugin of an instance, if the plugin has not left.
    subscript(instance: PluginInstance) -> SessionPlugin? {
        all.first { $0.instance === instance }
    }

    /// Returns the filters of a role's source.
    func filters(of role: SessionRole) -> [SessionPlugin] {
        filters.filter { $0.address.role == role }
    }

    /// Returns the filters that the frames of a role's source pass through. The chain includes
    /// required filters that left, so that frames are withheld.
    func chain(of role: SessionRole) -> [PluginInstance] {
        everyFilter.filter { $0.address.role == role }.map(\.instance).filter { instance in
            instance.isRequired || filters.contains { $0.instance === instance }
        }
    }

    /// Adds a filter of a participant's audio.
    mutating func add(_ filter: SessionPlugin) {
        filters.append(filter)
        all = sources + filters + outputs
        everyone.append(filter)
    }

    /// Returns the plugins at an address. A filter of participants' audio has several plugins.
    func plugins(at address: PluginAddress) -> [SessionPlugin] {
        all.filter { $0.address == address }
    }

    /// Removes a plugin.
    mutating func remove(_ plugin: SessionPlugin) {
        sources.removeAll { $0.instance === plugin.instance }
        filters.removeAll { $0.instance === plugin.instance }
        outputs.removeAll { $0.instance === plugin.instance }
        all = sources + filters + outputs
        plugin.feed?.leave(isFinished: plugin.instance.gaveUp?.status == .ok)
    }
}
