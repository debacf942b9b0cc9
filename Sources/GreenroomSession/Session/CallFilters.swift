import GreenroomDecisions
import GreenroomModel
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime

/// The filters of participants' audio: a set of instances for each open track, and a spare set.
///
/// The session creates the first set, which determines the delay of all sets. When a track ends,
/// its set serves the next track.
struct CallFilters {
    /// One instance of each filter, in the order of editing.
    typealias Members = [SessionPlugin]

    /// The number of the first filter. Numbers of other plugins are far smaller.
    private static let firstNumber = 100_000

    private let plans: [SourcePlan]
    private let clock: SessionClock
    private let events: SessionEvents
    private let control: ControlGrants?
    private var made = 0
    private var free: [Members] = []
    /// The sets in use, by track number.
    private var used: [UInt32: Members] = [:]

    init(
        _ plans: [SourcePlan], clock: SessionClock, events: SessionEvents, control: ControlGrants?
    ) {
        self.plans = plans
        self.clock = clock
        self.events = events
        self.control = control
        if !plans.isEmpty { free = [make()] }
    }

    /// The instances of the set that serves the next track.
    var spare: [PluginInstance] { free.last?.map(\.instance) ?? [] }

    /// The plugins of the set that serves the next track.
    var spareMembers: Members { free.last ?? [] }

    private mutating func make() -> Members {
        plans.enumerated().map { index, plan in
            let address = PluginAddress.callFilter(index)
            made += 1
            return SessionPlugin(
                address: address, plan: plan,
                instance: PluginInstance(
                    plan: plan, number: Self.firstNumber + made, role: "\(address)", clock: clock,
                    events: events, control: control?.grant(of: "\(address)")))
        }
    }

    /// Returns the filters for a new track.
    ///
    /// - Returns: The plugins, and the new plugins among them, which have no life yet.
    mutating func take(for track: UInt32) -> (members: Members, new: Members) {
        guard !plans.isEmpty else { return ([], []) }
        if let members = free.popLast() {
            used[track] = members
            return (members, [])
        }
        let members = make()
        used[track] = members
        return (members, members)
    }

    /// Removes and returns the filters of an ended track; empty if the track has none.
    mutating func end(_ track: UInt32) -> Members { used.removeValue(forKey: track) ?? [] }

    /// Keeps filters for the next track.
    mutating func keep(_ members: Members) { if !members.isEmpty { free.append(members) } }
}

extension SessionPlugins {
    /// Returns the filters for a participant's new track. New filters start while the track plays.
    mutating func audioFilters(for track: UInt32) -> [PluginInstance] {
        let (members, new) = slots.callFilters.take(for: track)
        for plugin in new {
            // Apply settings that have changed while the session runs.
            let settings = slots.plugins(at: plugin.address).first?.instance.settings ?? []
            for setting in settings { plugin.instance.remember(setting) }
            slots.add(plugin)
            handle(
                .added(
                    plugin.number,
                    PluginEntry.Facts(
                        plugin.plan, at: plugin.address, as: plugin.instance.role,
                        in: plan.configuration)))
        }
        return members.map(\.instance)
    }

    /// Keeps the filters of an ended track for another track, after restarting them to clear its
    /// audio.
    mutating func endAudioFilters(of track: UInt32) {
        let members = slots.callFilters.end(track)
        for plugin in members where !isAway(plugin) && plugin.instance.lifecycle == .sending {
            begin(plugin) { $0.beginStopSend() }
            begin(plugin) { $0.beginStartSend() }
        }
        // A set that lacks one of its filters serves no further track.
        guard members.allSatisfy({ slots[$0.instance] != nil }) else { return }
        slots.callFilters.keep(members)
    }
}
