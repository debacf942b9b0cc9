import GreenroomConversion
import GreenroomIPC
import GreenroomMedia
import GreenroomLifecycle
import GreenroomPluginInterface

/// Starts the processes of a plugin, and chooses the plugin in each.
protocol RunnerFactory: PluginFactory {
    /// The observer of the factory's instances; nil in a session.
    var observer: (any InstanceObserver)? { get }

    /// Starts a process, or takes over a connected one.
    func start(
        _ frames: SharedMemory?, in context: InstanceContext
    ) throws(LoadError) -> any RunnerProcess

    /// Chooses a plugin of the process, and its settings.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [PluginSetting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [PluginSetting])
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

    package var allocator: (any FrameAllocator)? {
        SharedFrameAllocator(guarding: observer?.guarding)
    }

    package func begin(
        _ descriptor: PluginDescriptor, in context: InstanceContext
    ) -> any InstanceBackend {
        IsolatedPlugin(self, descriptor, context)
    }

    /// Chooses the same plugin that the scan found.
    func choose(
        from found: [PluginDescriptor], for descriptor: PluginDescriptor,
        _ settings: [PluginSetting]
    ) throws(LoadError) -> (plugin: PluginDescriptor, settings: [PluginSetting]) {
        guard found.contains(where: { $0.id == descriptor.id && $0.kind == descriptor.kind }) else {
            throw .changed(descriptor, path)
        }
        return (descriptor, settings)
    }
}

/// Allocates frames that runners can map but not write to.
struct SharedFrameAllocator: FrameAllocator {
    /// The layout of the frames; nil if the session's.
    let guarding: FrameGuarding?

    func allocate(_ count: Int, _ format: PixelFormat, _ size: FrameSize) -> FramePool? {
        guard let slot = FramePool.slotByteCount(of: format, size, guarding: guarding),
            let memory = try? SharedMemory(
                name: "greenroom-lent", byteCount: count * slot, writers: .maker)
        else { return nil }
        return FramePool(
            limit: count, slotByteCount: slot, memory: memory.base, owner: memory,
            byteLimit: .max, guarding: guarding, isReadOnlyElsewhere: true)
    }
}

extension LoadError {
    /// The error if the runner did not start.
    static func noRunner(_ error: ChannelError, for path: String) -> LoadError {
        LoadError(code: .noRunner, place: path, explanation: "\(error).")
    }
}
