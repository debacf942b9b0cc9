import GreenroomIPC
import GreenroomSession
import GreenroomPluginInterface

/// Makes the processes of a plugin, and chooses the plugin in each.
protocol RunnerFactory: PluginFactory {
    /// Watches the instances that are created here; nil in a session.
    var observer: (any InstanceObserver)? { get }

    /// Starts a process, or takes over one that has connected.
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess

    /// Chooses one of the plugins in a process, and its settings.
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

    /// The plugin that the library had when it was scanned.
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
    /// No process could be started for a library.
    static func noRunner(_ error: ChannelError, for path: String) -> LoadError {
        LoadError(code: .noRunner, place: path, explanation: "\(error).")
    }
}
