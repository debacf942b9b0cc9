import GreenroomChannel
import GreenroomHost
import GreenroomLoading

/// Where the processes of a plugin come from, and which of the plugins in one is meant.
protocol RunnerOrigin: PluginOrigin {
    /// Begins a process, or takes one over.
    func start(
        _ frames: SharedMemory?, in place: PluginPlace
    ) throws(LoadError) -> RunnerProcess

    /// Chooses one of the plugins that are in it, with its settings.
    func choose(
        from found: LibraryDescription, meaning descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting])
}

extension IsolatedLibrary: RunnerOrigin {
    func start(
        _ frames: SharedMemory?, in place: PluginPlace
    ) throws(LoadError) -> RunnerProcess {
        do throws(ChannelError) {
            return try RunnerProcess(
                confinement, library: path, frames: frames, place: place)
        } catch {
            throw LoadError(code: .noRunner, place: path, explanation: "\(error).")
        }
    }

    func choose(
        from found: LibraryDescription, meaning descriptor: PluginDescriptor,
        _ settings: [Setting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [Setting]) {
        guard found[descriptor.id, descriptor.kind] != nil else {
            throw .changed(descriptor, path)
        }
        return (descriptor, settings)
    }
}
