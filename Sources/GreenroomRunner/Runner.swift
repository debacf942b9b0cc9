import CLinux
import Glibc
import GreenroomABI
package import GreenroomIPC
package import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// Hosts one instance in this process for a host in another process.
///
/// The plugin sees the same interface as in the host's process. Its calls go to the host through
/// the calling thread's channel: the control thread's, the media thread's, or a channel that a
/// thread opens with its first call.
package final class Runner: Sendable {
    /// The differences between the programs with a runner.
    package struct Environment: Sendable {
        /// Enters the sandbox of a policy and returns the report, both serialised by the host.
        package var confine: @Sendable ([UInt8], borrowing ControlSocket) -> [UInt8]
        /// Loads a library.
        package var load: @Sendable (String) throws(LoadError) -> PluginLibrary
        /// Called when the host is gone or ends the runner.
        package var end: @Sendable () -> Void
        /// Called before a further instance of this process begins, and after it has ended. The ending
        /// is nil for an instance that did not begin; the last value is whether the plugin gave up.
        package var willBegin: @Sendable () -> Void = {}
        package var didEnd: @Sendable (Ending?, Bool) -> Void = { _, _ in }
        /// Creates a probe for each instance; nil in sessions.
        package var makeProbe: (@Sendable () -> any RunnerProbe)?

        package init(
            confine: @escaping @Sendable ([UInt8], borrowing ControlSocket) -> [UInt8],
            load: @escaping @Sendable (String) throws(LoadError) -> PluginLibrary,
            end: @escaping @Sendable () -> Void
        ) {
            self.confine = confine
            self.load = load
            self.end = end
        }
    }

    struct State {
        var library: PluginLibrary?
        var descriptor: PluginDescriptor?
        var functions: PluginFunctions?
        /// The host's handle of the instance, and the plugin's.
        var instance: (host: UInt64, own: UInt64) = (0, 0)
        var sender: (host: UInt64, own: UInt64) = (0, 0)
        /// The senders of a call's open tracks.
        var tracks: [TrackSender] = []
        var stage = Stage.none
        /// The memory of other plugins that the host has lent, by number: frames to read, and the
        /// memory in which the next filter waits.
        ///
        /// The value is nil if the memory could not be mapped.
        var memories: [UInt32: SharedMemory?] = [:]
        /// Whether the plugin has finished or given up.
        var hasGivenUp = false
        /// The last status with which the plugin refused a step.
        var failure: Status?
        var hasVirtualClock = false
        /// The ids of the host's extensions for the plugin.
        var extensions: [String] = []
        /// Whether a thread edits frames or receives media.
        var servesMedia = false
        /// The channels that no thread uses.
        var freeChannels = Array((Channels.firstOfPlugin..<Channels.count).reversed())
    }

    /// The sender of a track that a call has opened, by the host's handle.
    struct TrackSender {
        var sender: UInt64
        var participant: UInt32
    }

    let channels: Channels
    let frames: SharedMemory?
    let state = Mutex(State())
    let probe: (any RunnerProbe)?
    private let socket: ControlSocket
    private let environment: Environment
    private let channelPermits: Semaphore
    /// Signalled for each memory that arrives, and when the host is gone.
    let memoryArrived = Semaphore(0)
    /// The descriptors that the host has sent, by the number in the answer of each.
    let descriptors = Mutex<[UInt32: Int32]>([:])
    /// Signalled for each descriptor that arrives, and when the host is gone.
    let descriptorArrived = Semaphore(0)
    /// Locked during a call that receives a descriptor.
    let descriptorCalls = Mutex(())
    /// Whether more frames than ``residentFrames`` are resident.
    let hasSpareFrames = Atomic(false)
    /// The host's loan for the next frame.
    let grant = Mutex<Grant?>(nil)
    /// The loan that became the plugin's last lease.
    let leased = Mutex<Grant?>(nil)

    /// Waits for a host's setup message.
    ///
    /// - Throws: ``ChannelError`` if the first message has another kind.
    package convenience init(
        socket: consuming ControlSocket, environment: Environment
    ) throws(ChannelError) {
        guard case .message(let setup) = socket.receive(waits: true) else {
            throw ChannelError("understand the host", errno: EPROTO)
        }
        try self.init(socket: socket, setup: setup, environment: environment)
    }

    /// - Parameter setup: The host's first message.
    /// - Throws: ``ChannelError`` if the message has another kind.
    package init(
        socket: consuming ControlSocket, setup: ControlSocket.Message, environment: Environment
    ) throws(ChannelError) {
        guard setup.kind == .setup, !setup.descriptors.isEmpty else {
            throw ChannelError("understand the host", errno: EPROTO)
        }
        channels = try Channels(adopting: setup.descriptors[0])
        frames =
            setup.descriptors.count > 1
            ? try SharedMemory(adopting: setup.descriptors[1]) : nil
        self.socket = socket
        self.environment = environment
        probe = environment.makeProbe?()
        channelPermits = Semaphore(Channels.count - Channels.firstOfPlugin)
        Self.add(self)
    }

    /// Continues the runner of a process that has entered the sandbox before it became this program.
    package convenience init(
        continuing environment: Environment
    ) throws(ChannelError) {
        try self.init(
            socket: ControlSocket(adopting: ControlSocket.ofStartedProcess),
            setup: ControlSocket.Message(
                kind: .setup, value: 0, descriptors: [ControlSocket.channelsOfScript]),
            environment: environment)
        watchSocket()
    }

    /// Serves the control channel, on the calling thread, until the host is gone.
    package func run() {
        ThreadChannels.use(channels[Channels.control], of: self)
        serve(channels[Channels.control])
    }

    /// Disconnects from the host, which ends every call on both sides. [any]
    package func disconnect() {
        channels.lose()
        socket.disconnect()
    }

    // MARK: Channels

    /// The channel of the calling thread. The thread's first call opens a channel. [any]
    var channel: Channel {
        if let channel = ThreadChannels.channel(of: self) { return channel }
        channelPermits.take()
        // The permit guarantees a free channel.
        let index = state.withLock { $0.freeChannels.popLast() } ?? Channels.firstOfPlugin
        socket.send(.openChannel, UInt32(index))
        let channel = channels[index]
        ThreadChannels.use(channel, of: self, index: index)
        return channel
    }

    /// Frees the channel of an ended thread.
    func close(_ channel: Channel, index: Int) {
        _ = channel.call(.leave)
        state.withLock { $0.freeChannels.append(index) }
        channelPermits.give()
    }

    private func serve(_ channel: Channel) {
        while let (call, length) = channel.receive() {
            // Do not allocate here, because the host makes this call for each frame.
            if call == .process {
                edit(channel)
                continue
            }
            if call == .editAudio {
                channel.send(.return, length: editAudio(channel))
                continue
            }
            if call == .takeFrame || call == .takeBlock {
                channel.send(.return, length: pass(call, channel))
                continue
            }
            let answer = answer(call, WireReader(channel, length: length), channel)
            channel.send(.return, length: answer.put(into: channel) ?? 0)
        }
    }

    // MARK: Calls of the host

    private func answer(_ call: RemoteCall, _ message: WireReader, _ channel: Channel) -> WireWriter
    {
        do throws(WireError) {
            return try perform(call, message, channel)
        } catch {
            // A host of another version expects a longer answer.
            return WireWriter()
        }
    }

    private func perform(
        _ call: RemoteCall, _ message: WireReader, _ channel: Channel
    ) throws(WireError) -> WireWriter {
        var message = message
        var answer = WireWriter()
        switch call {
        case .confine:
            answer.write(GreenroomProtocol.version)
            if try message.read(UInt32.self) == GreenroomProtocol.version {
                answer.append(environment.confine(message.remaining, socket))
                watchSocket()
            }
        case .load:
            load(try message.readString(), &answer)
        case .create:
            try create(&message, &answer)
        case .prepareProbe:
            if let probe { return probe.prepare(message, frames: frames) }
        case .plugin: answer.write(numbers: make(try message.readPluginCall()))
        default: throw WireError()
        }
        return answer
    }

    private func load(_ path: String, _ answer: inout WireWriter) {
        do throws(LoadError) {
            let library = try environment.load(path)
            state.withLock { $0.library = library }
            answer.write(true)
            answer.write(library.selfDescription)
        } catch {
            answer.write(false)
            answer.write(error)
        }
    }

    private func create(
        _ message: inout WireReader, _ answer: inout WireWriter
    ) throws(WireError) {
        let id = try message.readString()
        let instance = (host: try message.read(UInt64.self), own: Self.nextHandle())
        let hasVirtualClock = try message.readBool()
        let extensions = try message.readArray(limit: 64) { reader throws(WireError) in
            try reader.readString()
        }
        let settings = try message.readArray(limit: 1024) { reader throws(WireError) in
            try reader.readSetting()
        }
        guard let library = state.withLock({ $0.library }),
            let descriptor = library.descriptors.first(where: { $0.id == id })
        else { throw WireError() }
        state.withLock {
            $0.descriptor = descriptor
            $0.instance = instance
            $0.hasVirtualClock = hasVirtualClock
            $0.extensions = extensions
        }
        do throws(LoadError) {
            let (status, functions) = try library.create(
                descriptor, handle: instance.own, settings: settings)
            state.withLock {
                $0.functions = functions
                if status == .ok { $0.stage = .created } else { $0.failure = status }
            }
            answer.write(true)
            answer.write(status.rawValue)
            answer.write(functions?.takesNewOffers ?? false)
            answer.write(functions?.capabilities ?? []) { $0.write($1) }
            answer.write(functions?.audioEditing) { $0.write($1) }
            let needsMedia = state.withLock { state in
                guard functions != nil, descriptor.kind.facts.direction != .source else {
                    return false
                }
                defer { state.servesMedia = true }
                return !state.servesMedia
            }
            if needsMedia { serveMedia() }
        } catch {
            state.withLock { $0.failure = .badArgument }
            answer.write(false)
            answer.write(error)
        }
    }

    /// Makes a call with the handles that the plugin knows.
    private func make(_ call: PluginCall) -> PluginReply {
        guard let functions = state.withLock({ $0.functions }) else {
            return PluginReply(to: call, .gone)
        }
        var own = call
        switch call {
        case .initialize(let sender, let offer):
            // Zero means no sender.
            let handle = sender == 0 ? 0 : Self.nextHandle()
            state.withLock { $0.sender = (sender, handle) }
            own = .initialize(sender: handle, offer: offer)
        case .demand(var demand):
            demand.sender = Self.handle(ofTrack: demand.sender)
            own = .demand(demand)
        default: break
        }
        let reply = functions.perform(own)
        record(call, reply.status)
        return reply
    }

    // MARK: Threads

    /// Hosts another instance in this process, over a separate socket.
    private func addInstance(_ descriptor: Int32) {
        var environment = environment
        // The first instance has confined the process and ends it.
        environment.confine = { _, _ in [] }
        environment.end = {}
        environment.willBegin()
        let isStarted = Thread.start { [environment] in
            // Set the name here: the starting thread has another name, and the plugin's threads
            // inherit this name.
            greenroom_name_thread("plugin")
            let socket = ControlSocket(adopting: descriptor)
            guard let runner = try? Runner(socket: socket, environment: environment) else {
                return environment.didEnd(nil, false)
            }
            runner.run()
            let ending = runner.end()
            environment.didEnd(ending, runner.state.withLock { $0.hasGivenUp })
        }
        if !isStarted {
            ControlSocket.discard([descriptor])
            environment.didEnd(nil, false)
        }
    }

    private func serveMedia() {
        Thread.start { [self] in
            ThreadChannels.use(channels[Channels.media], of: self)
            serve(channels[Channels.media])
        }
    }

    /// Answers the host's pings, and ends when the host is gone. Start the thread in the sandbox,
    /// so that it is confined.
    private func watchSocket() {
        Thread.start { [self] in
            // The host recognises the thread by this name.
            greenroom_name_thread("greenroom-watch")
            while true {
                switch socket.receive(waits: true) {
                case .message(let message) where message.kind == .ping:
                    socket.send(.pong, message.value)
                case .message(let message) where message.kind == .addInstance:
                    if let descriptor = message.descriptors.first { addInstance(descriptor) }
                case .message(let message) where message.kind == .addMemory:
                    addMemory(message.value, message.descriptors)
                case .message(let message) where message.kind == .removeMemory:
                    removeMemory(message.value)
                case .message(let message) where message.kind == .descriptor:
                    addDescriptor(message.value, message.descriptors)
                case .message(let message) where message.kind != .end: continue
                case .nothing, .garbage: continue
                case .message, .end:
                    channels.lose()
                    memoryArrived.give()
                    descriptorArrived.give()
                    environment.end()
                    return
                }
            }
        }
    }
}
