import GreenroomModel
import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomConversion
import GreenroomNegotiation
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomRuntime
@testable import GreenroomVideo
import Synchronization

@testable import GreenroomLifecycle
@testable import GreenroomIsolation

/// The host's side of two runners, called with arbitrary messages: a sending camera and a sending
/// microphone, their frames' memory, and a thread instead of each process.
final class HostServiceRig: Sendable {
    private let camera: Side
    private let microphone: Side

    init() throws {
        camera = try Side(.videoSource)
        microphone = try Side(.virtualMic)
    }

    /// Makes the calls that some bytes describe.
    ///
    /// - Returns: Number of served calls.
    func serve(_ bytes: some Collection<UInt8>) -> Int {
        var rest = Array(bytes)[...]
        func byte() -> UInt8 { rest.popFirst() ?? 0 }
        var served = 0
        while !rest.isEmpty {
            let side = byte() % 4 == 0 ? microphone : camera
            let call = Self.calls[Int(byte()) % Self.calls.count]
            side.prepare(call)
            for _ in 0..<byte() % 5 {
                let place = Int(byte()) | Int(byte() & 1) << 8
                let value = UInt32(byte()) | UInt32(byte()) << 8 | UInt32(byte()) << 24
                side.channel.write(Self.tempting[Int(byte()) % 10] ?? value, at: place)
            }
            side.limitWaits(of: call)
            if side.serve(call, length: Int(byte()) << 9 | Int(byte())) { served += 1 }
        }
        return served
    }

    /// Whether a valid frame and a valid block still get a valid answer.
    var isUnharmed: Bool {
        camera.answers(RemoteCall(.videoSend)) && microphone.answers(RemoteCall(.audioSend))
    }

    private static let calls: [RemoteCall] =
        HostFunction.allCases.map(RemoteCall.init(_:))
        + [RemoteCall(rawValue: 0), .leave, .process]

    /// Values that are invalid in many places; nil for one from the bytes.
    private static let tempting: [UInt32?] = [
        0, 1, 3, 0x7fff_ffff, .max, 64, 8193, 1 << 16, nil, nil,
    ]
}

/// An instance of a plugin that does nothing and has every extension of the host.
final class RiggedInstance: Sendable {
    let source = FakeSource()
    let context: InstanceContext
    let feed: OutputFeed
    private let instance: PluginInstance

    /// - Parameter kind: A kind with a sender.
    init(_ kind: PluginKind) throws {
        let clock = SessionClock()
        // The limits of calls per second do not depend on the machine.
        let still = HostClock(ManualTime())
        let events = SessionEvents { _ in }
        let hasVideo = kind.sender == .video
        feed = OutputFeed(
            role: "rigged", name: "Rigged", number: 0, selection: nil, events: events)
        instance = PluginInstance(
            plan: SourcePlan(
                factory: source,
                descriptor: PluginDescriptor(
                    kind: kind, id: "test.rigged", name: "Rigged", version: "1", summary: "",
                    parameters: []), settings: []),
            number: 0, role: "rigged", clock: clock, events: events,
            videoIngest: hasVideo
                ? VideoIngest(
                    pool: FramePool(limit: 12), track: VideoTrackInput(clock: clock), clock: clock)
                : nil,
            audioIngest: hasVideo
                ? nil : AudioIngest(role: "rigged", number: 0, clock: clock, events: events),
            feed: feed,
            roster: CallRoster(
                plugin: 0, frameLimit: 8, clock: SessionClock(host: still), events: events),
            control: ControlGrant(AnySession(), clock: still))
        let row = VideoCapability(width: 64, height: 48, fps: 30)
        let offer = Offer(revision: 1, rule: .upTo, rows: [row], suggested: row)
        try Self.finish(instance.beginCreate(), of: instance)
        try Self.finish(instance.beginInitialize(offer: hasVideo ? offer : nil), of: instance)
        try feed.settle(
            .ordinary, of: OutputTrack(id: 1, kind: 1, name: "camera", capability: row))
        try feed.settle(
            .ordinary, of: OutputTrack(id: 2, kind: 2, name: "microphone", capability: nil))
        guard let context = source.context else {
            throw ChannelError("create an instance", errno: EINVAL)
        }
        self.context = context
    }

    func start() throws { try Self.finish(instance.beginStartSend(), of: instance) }
    func stop() throws { try Self.finish(instance.beginStopSend(), of: instance) }
    func uninitialize() throws { try Self.finish(instance.beginUninitialize(), of: instance) }

    private static func finish(
        _ step: PluginInstance.PendingStep, of instance: PluginInstance
    ) throws {
        let deadline = MonotonicClock.deadline(after: 30_000_000_000)
        guard instance.finish(step, until: deadline) == .done else {
            throw ChannelError(step.step.rawValue, errno: EIO)
        }
    }
}

/// The host's side of one runner.
private final class Side: Sendable {
    private let rig: RiggedInstance
    private let connection: RunnerConnection
    private let peer: Channels
    let channel: Channel

    init(_ kind: PluginKind) throws {
        rig = try RiggedInstance(kind)
        try rig.start()
        let channels = try Channels()
        connection = RunnerConnection(
            ControlSocket(adopting: try ControlSocket.pair().host), channels,
            frames: rig.source.frames, context: rig.context, terminate: { $0.disconnect() })
        connection.sender = rig.source.sender
        channel = channels[Channels.firstOfPlugin]
        peer = try Channels(adopting: dup(channels.memory.descriptor))
        let other = peer[Channels.firstOfPlugin]
        // Instead of the thread that copies planes.
        _ = HostThread(name: "peer") { while other.receive() != nil { other.send(.return) } }
    }

    deinit {
        peer.lose()
        connection.kill()
    }

    /// Writes a valid message to the channel.
    func prepare(_ call: RemoteCall) {
        guard let function = HostFunction(rawValue: call.rawValue) else { return }
        let handle = function.facts.handle == .sender ? rig.source.sender : rig.context.handle
        // The frame is in the memory that the last answer lent, or in none.
        let lent = channel.read(GrantMessage.self, at: MessageLayout.value).lease.id
        var call = HostCall(function, handle, 1)
        func write<Value>(_ value: Value) {
            var value = value
            withUnsafeMutablePointer(to: &value) {
                call.valueAddress = UInt(bitPattern: $0)
                _ = channel.write(call)
            }
        }
        switch function {
        case .videoSend:
            call.numbers.0 = lent % 2 == 0 ? lent : 0
            write(Self.frame)
        case .audioSend:
            call.numbers.0 = 0
            Self.samples.withUnsafeBufferPointer { samples in
                var block = Self.block
                block.samples = samples.baseAddress
                write(block)
            }
        case .videoAcquire:
            call.numbers = (1, 64, 48)
            var lease = gr_lease()
            lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
            write(lease)
        case .videoCommit: write(Self.frame.info)
        default: _ = channel.write(call)
        }
    }

    /// The offset of the first number in the message of a call.
    private static let firstNumber = 8

    /// Prevents a call from waiting.
    func limitWaits(of call: RemoteCall) {
        if call == RemoteCall(.waitUntil) {
            channel.write(MonotonicClock.now, at: Self.firstNumber)
        }
        if call == RemoteCall(.audioSend) { channel.write(Int64(0), at: Self.firstNumber) }
    }

    /// - Returns: Whether the call is known.
    func serve(_ call: RemoteCall, length: Int) -> Bool {
        HostService(connection: connection, channel: channel)
            .serve(call, min(length, Channels.messageByteCount)) != nil
    }

    func answers(_ call: RemoteCall) -> Bool {
        prepare(call)
        guard serve(call, length: MessageLayout.samples) else { return false }
        let status: Int32 = channel.read()
        // Accepted, or refused by a rule: earlier calls may have filled every slot.
        return (0..<40).contains(status)
    }

    private static var frame: gr_video_frame {
        var frame = gr_video_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_video_frame>.size)
        frame.format = PixelFormat.i420.rawValue
        (frame.width, frame.height, frame.plane_count) = (64, 48, 3)
        let anywhere = UnsafePointer<UInt8>(bitPattern: 4096)
        frame.planes.0 = gr_plane(
            data: anywhere, size_bytes: 64 * 48, stride_bytes: 64, reserved: 0)
        frame.planes.1 = gr_plane(
            data: anywhere, size_bytes: 32 * 24, stride_bytes: 32, reserved: 0)
        frame.planes.2 = frame.planes.1
        frame.info = gr_frame_info(
            struct_size: UInt32(MemoryLayout<gr_frame_info>.size), rotation: 0, range: 1,
            matrix: 1, offer_revision: 1, reserved: 0, pts_ns: .min)
        return frame
    }

    private static var block: gr_audio_block {
        gr_audio_block(
            struct_size: UInt32(MemoryLayout<gr_audio_block>.size), sample_rate_hz: 48_000,
            channels: 2, frame_count: 480, samples: nil, size_bytes: 1920, pts_ns: .min)
    }

    private static let samples = [Int16](repeating: 0, count: 960)
}

/// A session that takes every command but one, and has no report yet.
struct AnySession: SessionControlling {
    func perform(line: String, for role: String) throws(CommandError) -> UInt32 {
        if line == "wrong" { throw CommandError("wrong is no command. Send another one.") }
        return 1
    }
    var descriptionText: String? { "{}" }
    var reportText: String? { nil }
}

/// A source that does nothing, with shared memory for its frames.
final class FakeSource: InstanceBackend, PluginFactory {
    private struct State {
        var context: InstanceContext?
        var sender: UInt64 = 0
    }

    let path = "/nowhere/fake.so"
    let connections = ConnectionGrants.everything
    let frames: SharedMemory?
    let pool: FramePool?
    private let state = Mutex(State())

    init() {
        let slots = 24
        frames = try? SharedMemory(
            name: "greenroom-frames", byteCount: slots * FrameArena.slotByteCount)
        pool = frames.map {
            FramePool(
                limit: slots, slotByteCount: FrameArena.slotByteCount, memory: $0.base, owner: $0)
        }
    }

    var context: InstanceContext? { state.withLock { $0.context } }
    var sender: UInt64 { state.withLock { $0.sender } }

    func begin(_ descriptor: PluginDescriptor, in context: InstanceContext) -> any InstanceBackend {
        state.withLock { $0.context = context }
        return self
    }

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status { .ok }

    func perform(_ call: PluginCall) -> PluginReply {
        if case .initialize(let sender, _) = call { state.withLock { $0.sender = sender } }
        return PluginReply(to: call)
    }
}
