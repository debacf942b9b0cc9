import GreenroomIPC
import GreenroomModel
package import GreenroomSession
package import GreenroomPluginInterface
import GreenroomMedia
import GreenroomModel

/// The plugins of a kind that come in by a listener.
package struct BroadcastFactory: RunnerFactory {
    let listener: BroadcastListener
    let kind: PluginKind

    package var path: String { listener.path }
    package var arrivals: (any PeerListener)? { Listener(listener: listener, kind: kind) }

    /// What such a plugin is called before anybody has come.
    package var descriptor: PluginDescriptor {
        PluginDescriptor(
            kind: kind, id: "greenroom.broadcast", name: "Broadcast",
            version: GreenroomVersion.current, summary: "Whoever connects to \(path)",
            vendor: nil, url: nil, parameters: [])
    }

    package func begin(
        _ descriptor: PluginDescriptor, in place: InstanceContext
    ) -> any InstanceBackend {
        IsolatedPlugin(self, descriptor, place)
    }

    func start(
        _ frames: SharedMemory?, in place: InstanceContext
    ) throws(LoadError) -> RunnerProcess {
        guard let pendingPeer = listener.admit(kind) else {
            throw LoadError(
                code: .noRunner, place: path, explanation: "nobody has connected, or has left.")
        }
        do throws(ChannelError) {
            return try RunnerProcess(
                pendingPeer, Confinement(of: self), frames: frames, place: place
            ) { [listener, kind] in listener.dismiss(pendingPeer, kind) }
        } catch {
            listener.dismiss(pendingPeer, kind)
            throw .noRunner(error, for: path)
        }
    }

    /// The one of the kind that has connected, with its defaults: its settings are its own
    /// program's business.
    func choose(
        from found: [PluginDescriptor], meaning descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting]) {
        guard let plugin = found.first(where: { $0.kind == kind }) else {
            throw LoadError(
                code: .noSuchPlugin, place: path,
                explanation: "who connected offers no \(kind.name).")
        }
        let defaults = plugin.parameters.compactMap { parameter in
            parameter.defaultValue.map {
                Setting(name: parameter.name, type: parameter.type, value: $0)
            }
        }
        guard defaults.count == plugin.parameters.count else {
            throw LoadError(
                code: .badInstance, place: path,
                explanation:
                    "\(plugin.name) has required parameters, and those of a broadcast need "
                    + "defaults.")
        }
        return (plugin, defaults)
    }
}

extension BroadcastFactory {
    private struct Listener: PeerListener {
        let listener: BroadcastListener
        let kind: PluginKind

        func open(_ tell: @escaping @Sendable (Arrival) -> Void) throws(LoadError) {
            try listener.open(kind, tell)
        }

        var hasPendingPeer: Bool { listener.hasPendingPeer(kind) }

        func close() { listener.close(kind) }
    }
}

extension Confinement {
    /// None: a broadcast's process is somebody else's, with the rights and the memory that they
    /// give it.
    init(of broadcast: BroadcastFactory) {
        self.init(
            program: broadcast.path, plan: IsolationPlan(sandbox: .off, memoryLimitBytes: .max))
    }
}
