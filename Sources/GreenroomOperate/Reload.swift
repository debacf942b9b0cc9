package import GreenroomModel
package import GreenroomConfig
import GreenroomMedia
import GreenroomOutputs
package import GreenroomSession
import Synchronization

/// Reads a session file again while its session runs, and does what can be done at once.
package struct Reload: Sendable {
    /// The session file at the start of the session.
    var file: SessionFile
    let session: Session
    /// Shows an event with its line, as all other events of the session.
    let show: @Sendable (EventRecord, _ line: String) -> Void
    let read: @Sendable () throws -> SessionFile
    /// The settings that the session refused after trying them.
    let refusals: ReloadRefusals
    /// The settings that the session was told since.
    private var settings = TakenSettings()

    package init(
        file: SessionFile, session: Session, refusals: ReloadRefusals,
        show: @escaping @Sendable (EventRecord, _ line: String) -> Void,
        read: @escaping @Sendable () throws -> SessionFile
    ) {
        self.file = file
        self.session = session
        self.refusals = refusals
        self.show = show
        self.read = read
    }

    static let origin = "session file"

    /// Sets the changed live settings, and lists what else has changed.
    package mutating func run() {
        let new: SessionFile
        do {
            new = try read()
        } catch {
            return refuse("cannot reload; session unchanged:\n\(error)")
        }
        // Forget refused settings, so that the next reload retries them.
        settings.forget(refusals.take())
        let changes = Changes(from: file, settings, to: new)
        let rest = changes.rest
        for command in changes.commands {
            do throws(CommandError) {
                try session.perform(command, origin: Self.origin, isFromFile: true)
                settings.add(command)
            } catch {
                refuse(error.description)
            }
        }
        if !rest.isEmpty {
            tell("takes effect at the next start: \(rest.joined(separator: "; "))")
        } else if changes.commands.isEmpty {
            tell("no changes")
        }
    }

    private func tell(_ text: String) {
        var record = EventRecord(event: .reload)
        record.text = text
        show(record, "\(Self.origin): \(text)")
    }

    private func refuse(_ text: String) {
        var record = EventRecord(event: .controlError)
        record.origin = Self.origin
        record.text = text
        show(record, "\(Self.origin): \(text)")
    }

    /// The difference between two files.
    struct Changes {
        /// Commands for the running session.
        private(set) var commands: [SessionCommand] = []
        /// The keys of all else.
        private(set) var rest: [String] = []

        init(from oldFile: SessionFile, _ taken: TakenSettings, to newFile: SessionFile) {
            let (old, new) = (oldFile.configuration, newFile.configuration)
            let before = taken.changed(old.pluginsByAddress)
            let after = new.pluginsByAddress
            for (address, plugin) in after.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                guard let earlier = before[address], earlier.plugin == plugin.plugin,
                    earlier.connect == plugin.connect
                else {
                    rest.append("\(address)")
                    continue
                }
                for name in Set(earlier.settings.keys).union(plugin.settings.keys).sorted()
                where earlier.settings[name] != plugin.settings[name] {
                    if let value = plugin.settings[name] {
                        commands.append(.set(address, name: name, value: value))
                    } else {
                        rest.append("\(address).settings.\(name)")
                    }
                }
                var (was, becomes) = (earlier, plugin)
                was.settings = [:]
                becomes.settings = [:]
                if was != becomes { rest.append("\(address)") }
            }
            rest += before.keys.filter { after[$0] == nil }.map { "\($0)" }.sorted()
            rest += newFile.changedKeys(since: oldFile)
            let parts = [
                ("outputs", old.outputs.count == new.outputs.count),
                (PluginAddress.callKey, old.needsCall == new.needsCall),
            ]
            rest += parts.filter { !$0.1 }.map(\.0)
            for (index, (was, becomes)) in zip(old.outputs, new.outputs).enumerated() {
                let (was, becomes) = (was.output, becomes.output)
                if was.plugin == nil || becomes.plugin == nil {
                    if !isSame(was, as: becomes) { rest.append("outputs[\(index)]") }
                } else if was.selection != becomes.selection {
                    rest.append("\(new.address(ofOutput: index)).tracks")
                }
            }
        }
    }
}

/// Whether two outputs of the host's own are configured alike.
private func isSame(_ output: any HostOutput, as other: any HostOutput) -> Bool {
    guard let output = output as? any Equatable else { return false }
    func equals<Value: Equatable>(_ output: Value) -> Bool { output == other as? Value }
    return equals(output)
}

/// The roles whose plugins have refused a setting since the last reload.
package final class ReloadRefusals: Sendable {
    private struct State {
        var all = false
        var roles: Set<String> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Sees an event of the session. [any]
    package func look(at event: SessionEvent) {
        switch event {
        case .stepFailed(let role, let step, _, _) where step == .lifecycle(.setParameter):
            state.withLock { _ = $0.roles.insert(role) }
        // A note of the reload does not name the refused setting.
        case .note(let role, _) where role == Reload.origin: state.withLock { $0.all = true }
        default: break
        }
    }

    fileprivate func take() -> (all: Bool, roles: Set<String>) {
        state.withLock { state in
            defer { state = State() }
            return (state.all, state.roles)
        }
    }
}

extension SessionConfiguration {
    fileprivate var pluginsByAddress: [PluginAddress: PluginConfiguration] {
        let outputs = outputs.enumerated().compactMap { index, output in
            output.output.plugin.map { (address(ofOutput: index), $0) }
        }
        return Dictionary(
            slots.flatMap { $0.plugins.map { ($0.address, $0.plugin) } } + outputs
                + callFilters.enumerated().map { (PluginAddress.callFilter($0), $1) },
            uniquingKeysWith: { first, _ in first })
    }
}
