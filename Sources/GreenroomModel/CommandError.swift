import GreenroomMedia

/// The reason why a command is invalid: the broken rule and the fix, in sentences.
public struct CommandError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The broken rule and the fix.
    public var description: String

    /// Makes an error; replaces control characters in the description.
    public init(_ description: String) { self.description = description.printable }
}

extension SessionCommand {
    /// The error for a command whose plugin is not in the session: "the session has no camera to
    /// limit. Write ceiling.desk."
    ///
    /// - Parameters:
    ///   - roles: The session's roles.
    ///   - cure: Alternative advice, such as "remove the entry"; nil if none.
    package func withoutPlugin(
        among roles: some Sequence<SessionRole>, orElse cure: String? = nil
    ) -> String {
        let purpose =
            switch self {
            case .ceiling: "limit"
            case .stop(let role): role.facts.stopping.map { String($0.stop.firstWord) }
            case .start(let role): role.facts.stopping.map { String($0.start.firstWord) }
            case .set, .except, .gain, .delay: "change"
            case .explain, .message, .drain, .pauseRecording, .resumeRecording, .saveReplay:
                nil as String?
            }
        let problem =
            "the session has no \(target.map { "\($0)" } ?? "plugin") to \(purpose ?? "explain")."
        let role = target?.role
        let others = roles.filter { $0.part == role?.part && $0 != role }.sorted()
            .compactMap(words)
        let first =
            others.isEmpty
            ? cure.map { _ in "Add one" } : "Write \(others.joined(separator: " or "))"
        let cures = [first, cure].compactMap(\.self).joined(separator: ", or ")
        return cures.isEmpty ? problem : "\(problem) \(cures)."
    }

    /// The same command for another role, as a user writes it, without the value.
    private func words(for role: SessionRole) -> String? {
        switch self {
        case .ceiling: role.facts.ceiling?.word
        case .stop: role.facts.stopping?.stop
        case .start: role.facts.stopping?.start
        case .set(let address, let name, _):
            "\(PluginAddress(role, filter: address.filter)).settings.\(name)"
        case .except: "\(PluginAddress(role)).except"
        case .gain: "gain \(role.trackName)"
        case .delay: "delay \(role.trackName)"
        case .explain, .message, .drain, .pauseRecording, .resumeRecording, .saveReplay: nil
        }
    }
}

extension String {
    fileprivate var firstWord: Substring { prefix { $0 != " " } }
}
