import GreenroomIPC
import GreenroomSession
import GreenroomPluginInterface

/// Starts the processes of a plugin, and chooses the plugin in each.
protocol RunnerFactory: PluginFactory {
    /// Watches the instances of this factory; nil in a session.
    var observer: (any InstanceObserver)? { get }

    /// Starts a process, or takes over a connected one.
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess

    /// Chooses a plugin of the process, and its settings.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting])
}

extension IsolatedLibrary: RunnerFactory {
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess {
        do throws(ChannelError) {
            return try SpawnedRunner(
                confinement, library: path, frames: frames, context: context)
        } catch {
            throw .noRunner(error, for: path)
        }
    }
}

extension RunnerFactory {
    var observer: (any InstanceObserver)? { nil }

    /// Chooses the plugin that the scan found.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting]) {
        guard found.contains(where: { $0.id == descriptor.id && $0.kind == descriptor.kind }) else {
            throw .changed(descriptor, path)
        }
        return (descriptor, settings)
    }
}

extension LoadError {
    /// The error if the runner did not start.
    static func noRunner(_ error: ChannelError, for path: String) -> LoadError {
        LoadError(code: .noRunner, place: path, explanation: "\(error).")
    }
}
