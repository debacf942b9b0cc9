import GreenroomEvents
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime

/// The filters of participants' audio: a set of instances for each track that is open, and a spare one.
///
/// The first set is made with the session: it tells the delay of all. A set whose track has ended serves the
/// next track.
struct CallFilters {
    /// One instance of each filter, in the order of editing.
    typealias Members = [SessionPlugin]

    /// Numbers of other plugins are far smaller.
    private static let firstNumber = 100_000

    private let plans: [SourcePlan]
    private let clock: SessionClock
    private let events: SessionEvents
    private let control: SessionControl?
    private var made = 0
    private var free: [Members] = []
    /// By the number of the track.
    private var used: [UInt32: Members] = [:]

    init(
        _ plans: [SourcePlan], clock: SessionClock, events: SessionEvents, control: SessionControl?
    ) {
        self.plans = plans
        self.clock = clock
        self.events = events
        self.control = control
        if !plans.isEmpty { free = [make()] }
    }

    /// The instances of the set that serves the next track.
    var spare: [PluginInstance] { free.last?.map(\.instance) ?? [] }

    /// The plugins of that set.
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

    /// The filters for a track that begins.
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

    /// The filters of a track that has ended; empty if it has none.
    mutating func end(_ track: UInt32) -> Members { used.removeValue(forKey: track) ?? [] }

    /// Keeps filters for the next track.
    mutating func keep(_ members: Members) { if !members.isEmpty { free.append(members) } }
}

extension SessionPlugins {
    /// The filters for a participant's track that begins. New ones are started while it plays.
    mutating func audioFilters(for track: UInt32) -> [PluginInstance] {
        let (members, new) = slots.callFilters.take(for: track)
        for plugin in new {
            // With what was changed while the session runs.
            let settings = slots.plugins(at: plugin.address).first?.instance.settings ?? []
            for setting in settings { plugin.instance.remember(setting) }
            slots.add(plugin)
            handle(.added(plugin.number, PluginEntry.Facts(plugin, in: plan.configuration)))
        }
        return members.map(\.instance)
    }

    /// Keeps the filters of a track that has ended for another one: they forget its audio.
    mutating func endAudioFilters(of track: UInt32) {
        let members = slots.callFilters.end(track)
        for plugin in members where !isAway(plugin) && plugin.instance.lifecycle == .sending {
            begin(plugin) { $0.beginStopSend() }
            begin(plugin) { $0.beginStartSend() }
        }
        // A set without one of its filters serves no other track.
        guard members.allSatisfy({ slots[$0.instance] != nil }) else { return }
        slots.callFilters.keep(members)
    }
}
