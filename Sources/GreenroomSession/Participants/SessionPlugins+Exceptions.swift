import GreenroomLifecycle
import GreenroomModel
import GreenroomOutputs
import GreenroomPluginInterface

extension SessionPlugins {
    /// Changes whom a plugin leaves out.
    mutating func leaveOut(_ names: [String], from address: PluginAddress) -> CommandResult {
        guard let plugin = slots[address], plugin.feed != nil else {
            return .refused("no \(address) in the session")
        }
        exceptNames[plugin.number] = Set(names)
        tellExceptions()
        return .done(
            "\(address): leaves out \(names.isEmpty ? "nobody" : names.joined(separator: ", "))")
    }

    /// Tells the feeds whom they leave out. A stage leaves out everybody whom an output that takes the
    /// stage leaves out.
    func tellExceptions() {
        for taker in slots.takers { taker.feed?.leaveOut(exceptions(of: taker)) }
        events.wake()
    }

    private func exceptions(of taker: SessionPlugin) -> ParticipantExceptions {
        var all = ownExceptions(of: taker)
        guard let role = taker.role, role.composes else { return all }
        for output in slots.outputs where output.feed?.takes(.own(role)) ?? false {
            all.formUnion(ownExceptions(of: output))
        }
        for output in plan.configuration.outputs
        where output.output.want(of: role.track) != nil {
            all.names.formUnion(output.output.except)
            if output.output.makesFiles { all.numbers.formUnion(unrecorded) }
        }
        return all
    }

    /// A plugin that records leaves out those, too, who are not recorded.
    private func ownExceptions(of taker: SessionPlugin) -> ParticipantExceptions {
        ParticipantExceptions(
            names: exceptNames[taker.number] ?? [],
            numbers: taker.plan.descriptor.records ? unrecorded : [])
    }
}
