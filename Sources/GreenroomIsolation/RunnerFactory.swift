import GreenroomIPC
import GreenroomSession
import GreenroomPluginInterface

/// Where the processes of a plugin come from, and which of the plugins in one is meant.
protocol RunnerFactory: PluginFactory {
    /// Watches the instances that begin here; nil in a session.
    var observer: (any InstanceObserver)? { get }

    /// Begins a process, or takes one over.
    func start(
        _ frames: SharedMemory?, in place: InstanceContext
    ) throws(LoadError) -> RunnerProcess

    /// Chooses one of the plugins that are in it, with its settings.
    func choose(
        from found: [PluginDescriptor], meaning descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting])
}

extension IsolatedLibrary: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in place: InstanceContext
    ) throws(LoadError) -> RunnerProcess {
        do throws(ChannelError) {
            return try RunnerProcess(
                confinement, library: path, frames: frames, place: place)
        } catch {
            throw .noRunner(error, for: path)
        }
    }
}

extension RunnerFactory {
    var observer: (any InstanceObserver)? { nil }

    /// The very plugin that is meant, as it was when the library was looked into.
    func choose(
        from found: [PluginDescriptor], meaning descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting]) {
        guard found.contains(where: { $0.id == descriptor.id && $0.kind == descriptor.kind }) else {
            throw .changed(descriptor, path)
        }
        return (descriptor, settings)
    }
}

extension LoadError {
    /// There is no process for a library.
    static func noRunner(_ error: ChannelError, for path: String) -> LoadError {
        LoadError(code: .noRunner, place: path, explanation: "\(error).")
    }
}
