import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomVideo

extension SessionPlugins {
    /// What came of a command.
    enum CommandResult: Equatable {
        /// It was begun; in words.
        case done(String)
        /// It can't be done; why, and the cure.
        case refused(String)
    }

    /// Begins to start or stop plugins, or to change a parameter of one.
    ///
    /// Ingests close at once; the callbacks run while the session goes on.
    ///
    /// - Parameters:
    ///   - origin: Who asks for it, in a few words.
    ///   - nanoseconds: The session's time.
    mutating func perform(
        _ command: SessionCommand, origin: String, at nanoseconds: Int64
    ) -> CommandResult {
        switch command {
        case .ceiling(let kind, let limit):
            set(ceiling: limit, of: kind, origin: origin, at: nanoseconds)
                ? .done("\(kind.rawValue): ceiling \(limit.map(\.description) ?? "none")")
                : .refused(absent(kind.rawValue))
        case .explain:
            explain()
        case .mute: stop(microphone, "microphone", "muted")
        case .unmute: start(microphone, "microphone", "unmuted")
        case .pauseShare: stop(share, with: shareAudio, "share", "paused")
        case .resumeShare: start(share, with: shareAudio, "share", "resumed")
        case .stopCamera: stop(camera, "camera", "stopped")
        case .startCamera: start(camera, "camera", "started")
        case .set(let role, let setting): set(setting, of: role)
        }
    }

    private func explain() -> CommandResult {
        for negotiation in negotiations {
            guard let record = negotiation.negotiator.current else { continue }
            events.send(.explanation(role: negotiation.instance.role, record))
            if negotiation.instance.isPaused {
                events.send(
                    .note(
                        role: negotiation.instance.role,
                        text: "its source has paused it, and its last picture stays"))
            }
            guard switchedOff.contains(negotiation.instance.number) else { continue }
            let what =
                negotiation.kind == .camera
                ? "it is stopped, and its picture is black"
                : "it is paused, and its last picture stays"
            events.send(.note(role: negotiation.instance.role, text: what))
        }
        return negotiations.isEmpty
            ? .refused("there is no picture that anything was agreed on for") : .done("explained")
    }

    private mutating func stop(
        _ source: Source?, with other: Source? = nil, _ name: String, _ done: String
    ) -> CommandResult {
        guard source != nil || other != nil else { return .refused(absent(name)) }
        let due = [source, other].compactMap(\.self).filter { isOn($0) }
        guard !due.isEmpty else { return .refused("the \(name) is \(done) already") }
        for source in due {
            switchedOff.insert(source.instance.number)
            begin(source) { $0.beginStopSend() }
        }
        return .done("\(name) \(done)")
    }

    private mutating func start(
        _ source: Source?, with other: Source? = nil, _ name: String, _ done: String
    ) -> CommandResult {
        guard source != nil || other != nil else { return .refused(absent(name)) }
        let due = [source, other].compactMap(\.self).filter { !isOn($0) }
        guard !due.isEmpty else { return .refused("the \(name) is \(done) already") }
        for source in due {
            switchedOff.remove(source.instance.number)
            begin(source) { $0.beginStartSend() }
        }
        return .done("\(name) \(done)")
    }

    private mutating func set(_ setting: Setting, of role: String) -> CommandResult {
        guard let source = (sources + filters).first(where: { $0.instance.role == role }) else {
            return .refused(absent(role))
        }
        guard !isAway(source.instance) else {
            source.instance.remember(setting)
            pendingSettings[source.instance.number, default: []].append(setting)
            return .done("\(role): \(setting.name) will be \(setting.value) when it is back")
        }
        guard !isPumping(source.instance) else {
            return .refused(
                "\(role) sends from inside start-send, and hears of nothing until that returns")
        }
        begin(source) { $0.beginSetParameter(setting) }
        return .done("\(role): \(setting.name) set to \(setting.value)")
    }

    private func isOn(_ source: Source) -> Bool { !switchedOff.contains(source.instance.number) }

    private func absent(_ name: String) -> String { "there is no \(name) in the session now" }
}
