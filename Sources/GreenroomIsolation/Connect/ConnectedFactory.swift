import GreenroomIPC
import GreenroomModel
package import GreenroomLifecycle
package import GreenroomPluginInterface
import GreenroomMedia

/// Creates the instances of one plugin in the programs that connect to a listener.
package struct ConnectedFactory: RunnerFactory {
    let listener: ProgramListener
    let kind: PluginKind
    /// The plugin's name; nil for the program's only one of the kind.
    let name: String?
    /// The plugin's place among the listener's plugins.
    let place: Int

    package var path: String { listener.path }
    package var arrivals: (any PeerListener)? { Listener(factory: self) }

    /// A placeholder for the plugin until a program connects.
    package var descriptor: PluginDescriptor {
        PluginDescriptor(
            kind: kind, id: "greenroom.connected", name: name ?? "Program",
            version: GreenroomVersion.current, summary: "A program that connects to \(path)",
            vendor: nil, url: nil, parameters: [])
    }

    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        guard let process = try listener.accept(place),
            let runner = try process.add(frames, context)
        else {
            throw LoadError(
                code: .noRunner, place: path, explanation: "no program is connected.")
        }
        return runner
    }

    /// Chooses the program's plugin of the kind, with default settings, because the program
    /// configures it.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [PluginSetting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [PluginSetting]) {
        let fitting = found.filter { $0.kind == kind && (name == nil || $0.name == name) }
        guard let plugin = fitting.first else {
            throw LoadError(
                code: .noSuchPlugin, place: path,
                explanation: "the program offers no \(kind.name)\(name.map { " \($0)" } ?? "").")
        }
        guard fitting.count == 1 else {
            throw LoadError(
                code: .noSuchPlugin, place: path,
                explanation:
                    "the program offers \(fitting.map(\.name).joined(separator: ", ")). Name one: "
                    + "\(path)#NAME.")
        }
        let defaults = plugin.parameters.compactMap { parameter in
            parameter.defaultValue.map {
                PluginSetting(name: parameter.name, type: parameter.type, value: $0)
            }
        }
        guard defaults.count == plugin.parameters.count else {
            throw LoadError(
                code: .badInstance, place: path,
                explanation:
                    "\(plugin.name) has required settings; settings of a program that connects "
                    + "need defaults.")
        }
        return (plugin, defaults)
    }
}

extension ConnectedFactory {
    private struct Listener: PeerListener {
        let factory: ConnectedFactory

        func open(_ notify: @escaping @Sendable (IncomingConnection) -> Void) throws(LoadError) {
            try factory.listener.open(factory.place, factory.kind, notify)
        }

        var hasPendingPeer: Bool { factory.listener.hasPendingPeer(factory.place) }

        func close() { factory.listener.close(factory.place) }
    }
}
