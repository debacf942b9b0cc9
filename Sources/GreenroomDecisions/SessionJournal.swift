internal import FoundationEssentials
import GreenroomModel
import GreenroomPluginInterface

/// A line of a session's journal: the plugins that the session begins with, or an event with its
/// effects. The line contains no media.
package struct JournalLine: Codable, Sendable {
    /// The time on the session clock, in nanoseconds.
    var at: Int64
    var plugins: [Int: PluginEntry.Facts]?
    var event: SessionState.Event?
    var effects: [String]?

    /// Makes the first line.
    package init(plugins: [Int: PluginEntry.Facts], at now: Int64) {
        (self.plugins, at) = (plugins, now)
    }

    /// Makes the line of an event; nil for an event that changes nothing.
    package init?(_ event: SessionState.Event, _ effects: [SessionState.Effect], at now: Int64) {
        switch event {
        case .timer where effects.isEmpty, .settled where effects.isEmpty: return nil
        default: break
        }
        (self.event, self.effects, at) = (event, effects.map(\.description), now)
    }

    /// The line as a JSON object.
    package var text: String { (try? jsonText()) ?? "" }
}

/// The reason why a journal cannot be replayed, or the first decision that differs from the journal.
package struct JournalError: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package var line: Int
    package var description: String
}

extension SessionState {
    /// Runs the decisions of a journal again.
    ///
    /// - Returns: The number of events.
    /// - Throws: ``JournalError`` if a line cannot be read, or an effect differs.
    package static func replay(_ journal: String) throws(JournalError) -> Int {
        let lines = journal.split(separator: "\n")
        var state: SessionState?
        var last: Int64 = 0
        for (index, text) in lines.enumerated() {
            let number = index + 1
            let line: JournalLine
            do {
                line = try JSONDecoder().decode(JournalLine.self, from: Data(text.utf8))
            } catch {
                let reason = (error as? DecodingError)?.reason ?? "\(error)"
                throw JournalError(
                    line: number, description: "not a line of a journal: \(reason)")
            }
            // Later times are sums of this time and short delays.
            guard line.at >= last, line.at < 1 << 62 else {
                throw JournalError(
                    line: number, description: "the time must not decrease or exceed 2^62 ns")
            }
            last = line.at
            guard var current = state else {
                guard let plugins = line.plugins else {
                    throw JournalError(
                        line: number,
                        description: "a journal begins with a line that lists the plugins")
                }
                state = SessionState(plugins, at: line.at)
                continue
            }
            guard let event = line.event, let effects = line.effects else {
                throw JournalError(line: number, description: "needs an event and its effects")
            }
            let decided = current.handle(event, at: line.at).map(\.description)
            guard decided == effects else {
                throw JournalError(
                    line: number,
                    description: "the journal has \(effects.inWords), but this version decides "
                        + decided.inWords)
            }
            state = current
        }
        guard state != nil else { throw JournalError(line: 1, description: "the journal is empty") }
        return lines.count - 1
    }
}

extension SessionState.Effect: CustomStringConvertible {
    /// The effect in a few words, for journals and tests.
    package var description: String {
        switch self {
        case .prepare(let stage): "prepare \(stage)"
        case .perform(let step): "perform \(step)"
        case .begin(let step, let plugin): "\(step) \(plugin)"
        case .giveUp(let plugin, let reason): "give up \(plugin): \(reason)"
        case .rest(let plugin): "rest \(plugin)"
        case .expectFrames(let plugin): "expect \(plugin)"
        case .end(let end): "end: \(end.text)"
        case .leave(let plugin): "leave \(plugin)"
        case .set(let setting, let plugin): "set \(setting.name) \(plugin)"
        case .remember(let setting, let plugin): "remember \(setting.name) \(plugin)"
        case .show(let slate): "slate \(slate.text.state)"
        case .send(.pluginRestarts(let role, let seconds)): "\(role) restarts in \(seconds) s"
        case .send(.pluginReturned(let role, let seconds)): "\(role) is back after \(seconds) s"
        case .send(.pluginDropped(let role)): "\(role) is dropped"
        case .send(.note(let role, let text)): "note \(role): \(text)"
        case .send(.stopping(let reason)): "stopping: \(reason)"
        case .send(.callbackHangs(let role, let callback, let seconds)):
            "\(role) hangs in \(callback) for \(seconds) s"
        case .send(let event): event.line ?? ""
        }
    }
}

extension [String] {
    /// `"rest 0", "leave 0"`, or `no effect`.
    fileprivate var inWords: String {
        isEmpty ? "no effect" : map { "\"\($0)\"" }.joined(separator: ", ")
    }
}

extension DecodingError {
    /// The reason, with the key that it is about.
    fileprivate var reason: String {
        func path(_ context: Context) -> String {
            context.codingPath.map(\.stringValue).joined(separator: ".")
        }
        return switch self {
        case .keyNotFound(let key, _): "the key \(key.stringValue) is missing"
        case .typeMismatch(_, let context): "\(path(context)) has the wrong type"
        case .valueNotFound(_, let context): "\(path(context)) has no value"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "not a JSON object"
        case .dataCorrupted(let context): "\(path(context)) has an unknown value"
        @unknown default: "unreadable"
        }
    }
}
