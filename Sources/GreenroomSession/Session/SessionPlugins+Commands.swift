import GreenroomDecisions
import GreenroomLifecycle
import GreenroomModel
import GreenroomMedia
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomRuntime
import GreenroomVideo

extension SessionPlugins {
    /// The result of a command.
    enum CommandResult: Equatable {
        /// The command has started. The text describes the command.
        case done(String)
        /// The command is impossible. The text has the reason and the cure.
        case refused(String)
    }

    /// Starts or stops plugins, or changes a parameter.
    ///
    /// Ingests close at once; callbacks run while the session continues.
    ///
    /// - Parameters:
    ///   - origin: The source of the command, in a few words.
    ///   - nanoseconds: Session time.
    mutating func perform(
        _ command: SessionCommand, origin: String, at nanoseconds: Int64
    ) -> CommandResult {
        switch command {
        case .ceiling(let role, let limit):
            set(ceiling: limit, of: role, origin: origin, at: nanoseconds)
        case .explain: explain()
        // The session performs these.
        case .drain, .message, .gain, .delay: .refused("the command does not concern a plugin")
        case .stop(let role): `switch`(role, isOn: false)
        case .start(let role): `switch`(role, isOn: true)
        case .set(let address, let name, let value): set(name, to: value, of: address)
        case .except(let address, let names): leaveOut(names, from: address)
        case .pauseRecording: setRecordings(paused: true)
        case .resumeRecording: setRecordings(paused: false)
        case .saveReplay: saveReplays()
        }
    }

    private mutating func saveReplays() -> CommandResult {
        let results = slots.takers.filter(\.plan.keepsReplay).map {
            set(SourcePlan.saveReplaySetting, to: .boolean(true), of: $0)
        }
        let refusal = results.first { if case .refused = $0 { true } else { false } }
        return refusal ?? .done("saving the replay")
    }

    private mutating func setRecordings(paused: Bool) -> CommandResult {
        let results = slots.takers.filter(\.instance.descriptor.canPause).map {
            set(PluginDescriptor.pausedSetting, to: .boolean(paused), of: $0)
        }
        let refusal = results.first { if case .refused = $0 { true } else { false } }
        return refusal ?? .done("recording \(paused ? "paused" : "resumed")")
    }

    private mutating func set(
        ceiling: VideoCapability?, of role: SessionRole, origin: String, at nanoseconds: Int64
    ) -> CommandResult {
        let name = role.facts.name
        guard let source = negotiations.source(of: role) else { return .refused(absent(name)) }
        negotiations[source]?.set(ceiling: ceiling, origin: origin, at: nanoseconds)
        return .done("\(name): ceiling \(ceiling.map(\.description) ?? "none")")
    }

    private func explain() -> CommandResult {
        for negotiation in negotiations.all {
            let instance = negotiation.plugin.instance
            guard let record = negotiation.negotiator.current else { continue }
            events.send(.explanation(role: instance.role, record))
            if instance.isPaused {
                events.send(
                    .note(
                        role: instance.role,
                        text: "paused by its source; the last frame stays"))
            }
            guard state.isStopped(instance.number),
                let stopping = negotiation.plugin.role?.facts.stopping
            else { continue }
            events.send(
                .note(
                    role: instance.role,
                    text: "\(stopping.stopped); \(stopping.shows.inWords)"))
        }
        return negotiations.all.isEmpty
            ? .refused("no video track has an agreed size yet") : .done("explained")
    }

    /// Stops or starts a role and the roles that follow it.
    private mutating func `switch`(_ role: SessionRole, isOn: Bool) -> CommandResult {
        let name = role.facts.name
        let sources = slots.sources.filter { $0.role?.follows(role) ?? false }
        guard let stopping = role.facts.stopping, !sources.isEmpty else {
            return .refused(absent(name))
        }
        let done = isOn ? stopping.started : stopping.stopped
        let due = sources.filter { state.isStopped($0.number) == isOn }
        guard !due.isEmpty else { return .refused("the \(name) is already \(done)") }
        for source in due {
            handle(.stopped(source.number, !isOn))
            guard !state.isIdle(source.number) else { continue }
            source.feed?.rest(!isOn)
            begin(source) { isOn ? $0.beginStartSend() : $0.beginStopSend() }
        }
        return .done("\(name) \(done)")
    }

    private mutating func set(
        _ name: String, to value: ParameterValue, of address: PluginAddress
    ) -> CommandResult {
        let plugins = slots.plugins(at: address)
        guard let first = plugins.first else { return .refused(absent("\(address)")) }
        let result = set(name, to: value, of: first)
        // Every participant has an instance of the filter.
        for plugin in plugins.dropFirst() { _ = set(name, to: value, of: plugin) }
        return result
    }

    private mutating func set(
        _ name: String, to value: ParameterValue, of plugin: SessionPlugin
    ) -> CommandResult {
        let address = plugin.address
        let instance = plugin.instance
        guard let parameter = instance.descriptor.parameters.first(where: { $0.name == name })
        else { return .refused("\(address) has no setting \(name)") }
        let setting = PluginSetting(name: name, type: parameter.type, value: value)
        guard !isAway(plugin) else {
            handle(.changed(setting, plugin.number))
            return .done("\(address): \(name) will be \(value) after the restart")
        }
        guard !steps.isPumping(instance) else {
            return .refused(
                "\(address) is busy inside start-send; settings apply after it returns")
        }
        begin(plugin, setting: setting)
        return .done("\(address): \(name) set to \(value)")
    }

    /// The live setting that a drain sets to true in a call that has it.
    private static let drainSetting = "draining"

    /// The number of guests in the call, 0 without a call; nil while the call restarts.
    var guests: Int? {
        guard let call = slots.call else { return 0 }
        return isAway(call) ? nil : call.instance.roster?.memberCount ?? 0
    }

    /// Makes the call refuse new guests. A call without the setting continues unchanged.
    mutating func refuseGuests() {
        guard let call = slots.call,
            call.instance.descriptor.parameters.contains(where: {
                $0.name == Self.drainSetting && $0.isLive
            })
        else { return }
        let result = set(Self.drainSetting, to: .boolean(true), of: call)
        if case .refused(let reason) = result {
            events.send(.note(role: call.instance.role, text: reason))
        }
    }

    private func absent(_ name: String) -> String { "no \(name) in the session" }
}

extension SessionRole.Shown {
    /// The track's content, in words.
    fileprivate var inWords: String {
        switch self {
        case .black: "the video is black"
        case .lastFrame: "the last frame stays"
        case .silence: "the audio is silent"
        }
    }
}

extension SessionPlugins {
    /// The outputs that are plugins, as recordings.
    var recordings: [RecordingLog.Output] {
        slots.takers.filter { !state.isAway($0.number) }.map { output in
            let settings = output.instance.settings
            func isOn(_ name: String) -> Bool {
                settings.contains { $0.name == name && $0.value == .boolean(true) }
            }
            return RecordingLog.Output(
                records: isOn(PluginDescriptor.recordingSetting),
                isPaused: isOn(PluginDescriptor.pausedSetting))
        }
    }
}

extension SourcePlan {
    /// The live setting of an output that writes its replay when the setting is set.
    static let saveReplaySetting = "save-replay"

    /// Whether the plugin is an output that keeps a replay.
    var keepsReplay: Bool {
        let names = descriptor.parameters.filter { $0.isLive && $0.type == .boolean }.map(\.name)
        return descriptor.kind == .output && names.contains(Self.saveReplaySetting)
            && settings.contains {
                guard $0.name == "replay-seconds", case .integer(let seconds) = $0.value else {
                    return false
                }
                return seconds > 0
            }
    }
}

extension PluginDescriptor {
    /// The live setting of an output that records while it is true.
    static let recordingSetting = "recording"
    /// The live setting of an output whose recording pauses while it is true.
    static let pausedSetting = "paused"

    /// Whether the plugin is an output that records.
    var records: Bool {
        kind == .output
            && parameters.contains { $0.name == Self.recordingSetting && $0.isLive }
    }

    /// Whether the plugin is an output whose recording can pause.
    var canPause: Bool {
        kind == .output
            && [Self.recordingSetting, Self.pausedSetting].allSatisfy { name in
                parameters.contains { $0.name == name && $0.isLive && $0.type == .boolean }
            }
    }
}
