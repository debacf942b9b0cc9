import GreenroomABI
import GreenroomIPC
import GreenroomConversion
import GreenroomNegotiation
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime
import GreenroomSandbox
import GreenroomVideo
import Synchronization

/// An instance in another process.
///
/// Each function calls the runner through a channel. Meanwhile the calling thread serves the
/// plugin's calls.
final class IsolatedPlugin: InstanceBackend {
    private struct State {
        var runner: (any RunnerProcess)?
        var pool: FramePool?
        var capabilities: [VideoCapability] = []
        var audioEditing: AudioEditing?
        var takesNewOffers = false
        /// The sandbox of the process before it was killed.
        var sandbox: SandboxReport?
        /// Whether ``kill()`` was called, possibly before the process exists.
        var isKilled = false
    }

    private let factory: any RunnerFactory
    private let descriptor: PluginDescriptor
    private let context: InstanceContext
    private let state = Mutex(State())

    init(
        _ factory: any RunnerFactory, _ descriptor: PluginDescriptor, _ context: InstanceContext
    ) {
        self.factory = factory
        self.descriptor = descriptor
        self.context = context
    }

    var capabilities: [VideoCapability] { state.withLock { $0.capabilities } }
    var audioEditing: AudioEditing? { state.withLock { $0.audioEditing } }
    var takesNewOffers: Bool { state.withLock { $0.takesNewOffers } }
    var pool: FramePool? { state.withLock { $0.pool } }
    var isIsolated: Bool { true }
    var lentByteCount: Int {
        let (pool, runner) = state.withLock { ($0.pool, $0.runner) }
        return (pool?.heldByteCount ?? 0) + (runner?.connection.lentByteCount ?? 0)
    }

    var endedByteCount: Int { state.withLock { $0.runner }?.connection.endedByteCount ?? 0 }

    /// Whether all threads of the plugin's process and of this host sleep. Both count, because a
    /// thread that calls the host sleeps while a host thread serves the call.
    var isAtRest: Bool {
        guard let process = state.withLock({ $0.runner?.process.id }), process > 0 else {
            return ThreadStates.allSleep()
        }
        return ThreadStates.allSleep(in: process) && ThreadStates.allSleep()
    }

    var sandbox: [SandboxLayerState]? {
        let report = state.withLock { $0.runner?.sandbox ?? $0.sandbox }
        return report?.entries.map {
            SandboxLayerState(name: $0.layer.name, state: "\($0.state)", text: $0.text)
        }
    }

    private var connection: RunnerConnection? { state.withLock { $0.runner }?.connection }

    // MARK: Creation

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status {
        let frames = try makeFrames()
        context.startsProcess()
        let runner = try start(frames)
        try runner.prepare()
        let connection = runner.connection
        // Loading has another time limit than a callback.
        let found = try connection.load(factory.path).descriptors
        context.didStartProcess()
        let choice = try factory.choose(from: found, for: descriptor, settings)
        factory.observer?.prepare(frames: frames) { connection.call($0, $1) }
        switch create(choice.plugin, choice.settings, over: connection) {
        case .created(let status): return status
        case .refused(let error): throw error
        case .lost: throw connection.lossDuringLoad(of: factory.path)
        case .invalid: throw connection.invalidAnswer(during: factory.path)
        }
    }

    private enum Creation {
        case created(Status)
        case refused(LoadError)
        case lost
        case invalid
    }

    /// Allocates the memory for frames that the plugin sends or edits; nil if the plugin has no
    /// such frames.
    private func makeFrames() throws(LoadError) -> SharedMemory? {
        guard context.frameLimit > 0 else { return nil }
        do throws(ChannelError) {
            let frames = try SharedMemory(
                name: "greenroom-frames", byteCount: context.frameLimit * FrameArena.slotByteCount)
            let pool = FramePool(
                limit: context.frameLimit, slotByteCount: FrameArena.slotByteCount,
                memory: frames.base, owner: frames,
                guarding: factory.observer?.guarding)
            state.withLock { $0.pool = pool }
            return frames
        } catch {
            throw .noRunner(error, for: factory.path)
        }
    }

    private func start(_ frames: SharedMemory?) throws(LoadError) -> any RunnerProcess {
        let runner = try factory.start(frames, in: context)
        let isKilled = state.withLock { state in
            state.runner = runner
            return state.isKilled
        }
        if isKilled { runner.connection.kill() }
        return runner
    }

    private func create(
        _ plugin: PluginDescriptor, _ settings: [PluginSetting],
        over connection: RunnerConnection
    ) -> Creation {
        var message = WireWriter()
        message.write(creationOf: plugin, settings, for: context)
        guard var answer = connection.call(.create, message) else { return .lost }
        do throws(WireError) {
            guard try answer.readBool() else { return .refused(try answer.readLoadError()) }
            let status = Status(rawValue: try answer.read())
            let takesNewOffers = try answer.readBool()
            let capabilities = try answer.readArray(
                limit: Int(GR_MAX_CAPABILITIES)
            ) { reader throws(WireError) in try reader.readCapability() }
            let audioEditing = try answer.readOptional { reader throws(WireError) in
                try reader.readAudioEditing()
            }
            state.withLock {
                $0.takesNewOffers = takesNewOffers
                $0.capabilities = capabilities
                $0.audioEditing = audioEditing
            }
            return .created(status)
        } catch {
            return .invalid
        }
    }

    // MARK: The plugin's functions

    func perform(_ call: PluginCall) -> PluginReply {
        defer { if case .destroy = call { connection?.end() } }
        return connection?.perform(call) ?? PluginReply(to: call, .gone)
    }

    var isDebugged: Bool { state.withLock { $0.runner }?.isDebugged ?? false }

    var processorWaitNanoseconds: Int64? {
        state.withLock { $0.runner?.process.id }.flatMap {
            $0 > 0 ? ProcessorWait.longestNanoseconds(ofProcess: $0) : nil
        }
    }

    var hindrance: String? { state.withLock { $0.runner }?.hindrance }

    func kill() {
        // The process's end frees the shared memory, after its last frame is released.
        let runner = state.withLock { state in
            state.isKilled = true
            state.pool = nil
            state.sandbox = state.runner?.sandbox ?? state.sandbox
            return state.runner.take()
        }
        runner?.connection.kill()
    }

    func senderChanged(sends: Bool) { connection?.channels.publish(sends: sends) }

    func process(_ frame: inout gr_mutable_frame) -> Status {
        connection?.process(frame) ?? .gone
    }

    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status? {
        guard let connection, let memory = memory as? SharedMemory else { return .gone }
        return connection.take(frame, in: memory)
    }

    func take(_ block: inout gr_output_block) -> Status { connection?.take(block) ?? .gone }

    func edit(_ block: inout gr_audio_edit) -> Status { connection?.edit(block) ?? .gone }
}

extension WireWriter {
    /// Writes the message of ``RemoteCall/create``.
    ///
    /// - Parameter context: The instance's context; nil if no host listens.
    mutating func write(
        creationOf plugin: PluginDescriptor, _ settings: [PluginSetting],
        for context: InstanceContext?
    ) {
        write(plugin.id)
        write(context?.handle ?? 0)
        write(context?.hasVirtualClock ?? false)
        write(context?.extensions ?? []) { $0.write($1) }
        write(settings) { $0.write($1) }
    }
}
