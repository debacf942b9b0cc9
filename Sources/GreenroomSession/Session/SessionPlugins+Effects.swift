import GreenroomDecisions
import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

/// Performs the effects of ``SessionState``.
extension SessionPlugins {
    mutating func perform(_ effect: SessionState.Effect) {
        switch effect {
        case .prepare(let stage): prepare(stage)
        case .perform(let step): endSteps.append(step)
        case .begin(let step, let number):
            if let plugin = plugin(number) { begin(step, of: plugin) }
        case .giveUp(let number, let reason): plugin(number)?.instance.giveUp(because: reason)
        case .rest(let number):
            guard let plugin = plugin(number) else { return }
            plugin.instance.audioIngest?.rest()
            plugin.input?.showLastFrame()
        case .expectFrames(let number): plugin(number)?.input?.setStarted()
        case .leave(let number):
            guard let plugin = plugin(number) else { return }
            slots.remove(plugin)
            silence.excuse(number)
            holding[number] = nil
        case .set(let setting, let number):
            if let plugin = plugin(number) { begin(plugin, setting: setting) }
        case .remember(let setting, let number): plugin(number)?.instance.remember(setting)
        case .show(let slate): dueSlates.append(slate)
        case .send(let event): events.send(event)
        case .end(let end): decidedEnd = end
        }
    }

    /// Returns the plugin with a number, including plugins that left.
    private func plugin(_ number: Int) -> SessionPlugin? {
        slots.everyone.first { $0.number == number }
    }

    private mutating func begin(_ step: LifecycleStep, of plugin: SessionPlugin) {
        switch step {
        case .create: begin(plugin) { $0.beginCreate() }
        case .initialize:
            let offer =
                state.phase.isStarting
                ? negotiations.first(to: plugin)
                : negotiations.fresh(to: plugin, at: clock.now - epoch)
            begin(plugin) { $0.beginInitialize(offer: offer) }
        case .track:
            let tracks = tracks(for: plugin) + (plugin.feed?.takeQuestions() ?? [])
            begin(plugin) { $0.beginDescribing(tracks) }
        case .startSend: begin(plugin) { $0.beginStartSend() }
        default: steps.letRun(steps.begin([plugin], isAwaited: true) { $0.begin(ending: step) })
        }
    }
}

extension PluginEntry.Facts {
    /// - Parameter role: The role in messages.
    init(
        _ plugin: SourcePlan, at address: PluginAddress, as role: String,
        in configuration: SessionConfiguration
    ) {
        let kind = plugin.descriptor.kind
        let source: SessionRole? = if case .source(let role) = address { role } else { nil }
        self.init(
            role: role, track: source.flatMap { $0.medium == .video ? $0.track : nil },
            isSource: source != nil, isCall: kind.isCall, takesTracks: kind.takesMedia,
            onFailure: plugin.onFailure, connects: plugin.factory.arrivals != nil,
            isNeeded: kind.isCall && configuration.needsCall)
    }
}
