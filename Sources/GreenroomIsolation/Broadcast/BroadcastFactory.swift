import GreenroomIPC
import GreenroomModel
package import GreenroomLifecycle
package import GreenroomPluginInterface
import GreenroomMedia

/// Creates instances of one kind from the broadcasts that connect to a listener.
package struct BroadcastFactory: RunnerFactory {
    let listener: BroadcastListener
    let kind: PluginKind

    package var path: String { listener.path }
    package var arrivals: (any PeerListener)? { Listener(listener: listener, kind: kind) }

    /// A placeholder for the plugin until a broadcast connects.
    package var descriptor: PluginDescriptor {
        PluginDescriptor(
            kind: kind, id: "greenroom.broadcast", name: "Broadcast",
            version: GreenroomVersion.current, summary: "A broadcast that connects to \(path)",
            vendor: nil, url: nil, parameters: [])
    }

    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        guard let peer = listener.accept(kind) else {
            throw LoadError(
                code: .noRunner, place: path, explanation: "no broadcast is connected.")
        }
        do throws(ChannelError) {
            return try BroadcastRunner(
                peer, at: path, frames: frames, context: context
            ) { [listener, kind] in listener.release(peer, kind) }
        } catch {
            listener.release(peer, kind)
            throw .noRunner(error, for: path)
        }
    }

    /// Chooses the broadcast's plugin of the kind, with default settings, because the broadcast's
    /// program configures it.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting]) {
        guard let plugin = found.first(where: { $0.kind == kind }) else {
            throw LoadError(
                code: .noSuchPlugin, place: path,
                explanation: "the broadcast offers no \(kind.name).")
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
                    "\(plugin.name) has required parameters; parameters of a broadcast need "
                    + "defaults.")
        }
        return (plugin, defaults)
    }
}

extension BroadcastFactory {
    private struct Listener: PeerListener {
        let listener: BroadcastListener
        let kind: PluginKind

        func open(_ notify: @escaping @Sendable (IncomingConnection) -> Void) throws(LoadError) {
            try listener.open(kind, notify)
        }

        var hasPendingPeer: Bool { listener.hasPendingPeer(kind) }

        func close() { listener.close(kind) }
    }
}
