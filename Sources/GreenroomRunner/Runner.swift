import CLinux
import Glibc
import GreenroomABI
package import GreenroomIPC
package import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// Hosts one plugin of this process for a host in another one.
///
/// The plugin sees the same interface as in the host's process. What it calls goes to the host
/// through the channel of the thread that calls: the control thread's, the media thread's, or one
/// that the thread opens with its first call.
package final class Runner: Sendable {
    /// What the process that the plugin lives in has to do itself.
    package struct Environment: Sendable {
        /// Goes into the sandbox that a policy describes, and tells what came of it, both as the
        /// host's side of the process writes and reads them.
        package var confine: @Sendable ([UInt8], borrowing ControlSocket) -> [UInt8]
        /// Loads the library.
        package var load: @Sendable (String) throws(LoadError) -> PluginLibrary
        /// Called when the host is gone, or says that it is over.
        package var end: @Sendable () -> Void

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
        /// What the host calls them, and what the plugin does.
        var instance: (host: UInt64, own: UInt64) = (0, 0)
        var sender: (host: UInt64, own: UInt64) = (0, 0)
        var stage = Stage.absent
        /// What the plugin returned last that ended its life early.
        var failure: Status?
        var hasVirtualClock = false
        /// Whether it is looked at more closely than in a session.
        var isScrutinised = false
        /// There is a thread that frames are edited on.
        var servesMedia = false
        /// The host's extension that the plugin does not get.
        var withheldExtension: String?
        /// Where the frames lie that the plugin has on loan, by the lease, while they are guarded.
        var guarded: [UInt64: SharedPlanes]?
        /// Channels that no thread uses.
        var free = Array((Channels.firstOfPlugin..<Channels.count).reversed())
    }

    let channels: Channels
    let frames: SharedMemory?
    let state = Mutex(State())
    private let socket: ControlSocket
    private let environment: Environment
    private let freeChannels: ChannelPermits
    /// Whether the plugin has frames in its memory beyond those that it may keep there.
    let hasSpareFrames = Atomic(false)

    /// Connects to a host: waits for what it sends first.
    ///
    /// - Throws: ``ChannelError`` if that is not what a host sends.
    package convenience init(
        socket: consuming ControlSocket, environment: Environment
    ) throws(ChannelError) {
        guard case .message(let welcome) = socket.receive(waits: true) else {
            throw ChannelError("understand the host", errno: EPROTO)
        }
        try self.init(socket: socket, welcome: welcome, environment: environment)
    }

    /// Connects to a host.
    ///
    /// - Parameter welcome: What it has sent first.
    /// - Throws: ``ChannelError`` if that is not what a host sends.
    package init(
        socket: consuming ControlSocket, welcome: ControlSocket.Message, environment: Environment
    ) throws(ChannelError) {
        guard welcome.kind == .welcome, let first = welcome.descriptors.first else {
            throw ChannelError("understand the host", errno: EPROTO)
        }
        channels = try Channels(adopting: first)
        frames =
            welcome.descriptors.count > 1
            ? try SharedMemory(
                adopting: welcome.descriptors[1],
                byteCount: Int(welcome.value) * FrameArena.slotByteCount) : nil
        self.socket = socket
        self.environment = environment
        freeChannels = ChannelPermits(Channels.count - Channels.firstOfPlugin)
        RunnerInterface.runners.withLock { $0.append(self) }
    }

    /// Serves the control channel, on the calling thread, until the host is gone.
    package func run() {
        ThreadChannels.use(channels[Channels.control], of: self)
        serve(channels[Channels.control])
    }

    /// Leaves the host: every call of it ends, here and there. [any]
    func leave() {
        channels.lose()
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    // MARK: Channels

    /// The channel of the calling thread; opened with the first call.
    var channel: Channel {
        if let channel = ThreadChannels.channel(of: self) { return channel }
        freeChannels.take()
        // A permit says that there is one.
        let index = state.withLock { $0.free.popLast() } ?? Channels.firstOfPlugin
        socket.send(.open, UInt32(index))
        let channel = channels[index]
        ThreadChannels.use(channel, of: self, index: index)
        return channel
    }

    /// Gives back the channel of a thread that has ended.
    func close(_ channel: Channel, index: Int) {
        _ = channel.call(.leave)
        state.withLock { $0.free.append(index) }
        freeChannels.give()
    }

    private func serve(_ channel: Channel) {
        while let (call, length) = channel.take() {
            // Each frame comes through here: nothing is allocated for it.
            if call == .process {
                channel.pass(.return, length: edit(channel))
                continue
            }
            let answer = answer(call, WireReader(channel, length: length), channel)
            channel.pass(.return, length: answer.put(into: channel) ?? 0)
        }
    }

    // MARK: What the host calls

    private func answer(_ call: Call, _ message: WireReader, _ channel: Channel) -> WireWriter {
        do throws(WireReader.Problem) {
            return try perform(call, message, channel)
        } catch {
            // A host of another version: it finds an answer that is too short.
            return WireWriter()
        }
    }

    private func perform(
        _ call: Call, _ message: WireReader, _ channel: Channel
    ) throws(WireReader.Problem) -> WireWriter {
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
        case .scrutinise:
            let withheld = try message.readOptional { reader throws(WireReader.Problem) in
                try reader.readString()
            }
            state.withLock {
                $0.isScrutinised = true
                $0.withheldExtension = withheld
            }
            if try message.readBool() { answer.write(guardFrames()) }
        default:
            guard
                let (functions, kind) = state.withLock({ state in
                    state.functions.flatMap { made in state.descriptor.map { (made, $0.kind) } }
                })
            else {
                answer.write(Status.gone.rawValue)
                return answer
            }
            try step(call, functions, kind, &message, &answer)
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
    ) throws(WireReader.Problem) {
        let id = try message.readString()
        let instance = (host: try message.read(UInt64.self), own: RunnerInterface.nextNumber())
        let hasVirtualClock = try message.readBool()
        let settings = try message.readArray(most: 1024) { reader throws(WireReader.Problem) in
            try reader.readSetting()
        }
        guard let library = state.withLock({ $0.library }),
            let descriptor = library.descriptors.first(where: { $0.id == id })
        else { throw WireReader.Problem() }
        state.withLock {
            $0.descriptor = descriptor
            $0.instance = instance
            $0.hasVirtualClock = hasVirtualClock
        }
        do throws(LoadError) {
            let (status, functions) = try library.create(
                descriptor, handle: instance.own, settings: settings, host: RunnerInterface.host)
            state.withLock {
                $0.functions = functions
                if status == .ok { $0.stage = .created } else { $0.failure = status }
            }
            answer.write(true)
            answer.write(status.rawValue)
            answer.write(functions?.takesNewOffers ?? false)
            answer.write(functions?.capabilities ?? []) { $0.write($1) }
            let needsMedia = state.withLock { state in
                guard functions != nil, descriptor.kind.isFilter else { return false }
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

    private func step(
        _ call: Call, _ functions: PluginFunctions, _ kind: PluginKind,
        _ message: inout WireReader, _ answer: inout WireWriter
    ) throws(WireReader.Problem) {
        var status = Status.ok
        var written: gr_answer?
        var address: UInt64?
        switch call {
        case .initialize:
            let given = try message.read(UInt64.self)
            // Zero is no sender, and stays zero.
            let sender = given == 0 ? 0 : RunnerInterface.nextNumber()
            state.withLock { $0.sender = (given, sender) }
            let offer = try message.readOptional { reader throws(WireReader.Problem) in
                try reader.readOffer()
            }
            (status, written) = functions.initialize(
                sender: sender, kind: kind, offer: offer, senders: RunnerInterface.senders)
        case .propertyChange:
            (status, written) = functions.propertyChange(offer: try message.readOffer())
        case .setParameter:
            status = functions.setParameter(try message.readSetting()) ?? .unsupported
        case .startSend: status = functions.startSend()
        case .stopSend: functions.stopSend()
        case .uninitialize: functions.uninitialize()
        case .destroy:
            functions.destroy()
            state.withLock { $0.functions = nil }
        case .askExtension:
            address = functions.address(ofExtension: try message.readString()) ?? 0
        default: throw WireReader.Problem()
        }
        note(call, status)
        answer.write(status.rawValue)
        if let address { answer.write(address) }
        if let written {
            answer.write(written.kind)
            answer.write(written.capability.width)
            answer.write(written.capability.height)
            answer.write(written.capability.fps_numerator)
            answer.write(written.capability.fps_denominator)
        }
    }

    // MARK: Threads

    /// Hosts another instance in this process, over a socket of its own.
    private func accompany(_ descriptor: Int32) {
        var environment = environment
        // The process is confined as it is, and does not end with one of two.
        environment.confine = { _, _ in [] }
        environment.end = {}
        Thread.start { [environment] in
            // It has its name from the thread that begins it, and those that it begins have its own.
            greenroom_name_thread("plugin")
            let socket = ControlSocket(adopting: descriptor)
            guard let other = try? Runner(socket: socket, environment: environment) else {
                return
            }
            other.run()
            _ = other.end()
        }
    }

    private func serveMedia() {
        Thread.start { [self] in
            ThreadChannels.use(channels[Channels.media], of: self)
            serve(channels[Channels.media])
        }
    }

    /// Answers the host's pings, and ends with it. Begun in the sandbox, so that its thread is in it.
    private func watchSocket() {
        Thread.start { [self] in
            // By this the host tells it from the plugin's.
            greenroom_name_thread("greenroom-watch")
            while true {
                switch socket.receive(waits: true) {
                case .message(let message) where message.kind == .ping:
                    socket.send(.pong, message.value)
                case .message(let message) where message.kind == .another:
                    if let descriptor = message.descriptors.first { accompany(descriptor) }
                case .message(let message) where message.kind != .end: continue
                case .nothing, .garbage: continue
                case .message, .end:
                    channels.lose()
                    environment.end()
                    return
                }
            }
        }
    }
}
