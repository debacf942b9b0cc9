import GreenroomModel
import GreenroomNegotiation
import Foundation
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import Synchronization

@testable import GreenroomPluginInterface
@testable import GreenroomRuntime
@testable import GreenroomLifecycle

/// A camera or a share in Swift, without a shared library: sends leased frames on its own thread,
/// evenly on the session clock, and follows a script.
final class FakeSource: InstanceBackend, PluginFactory {
    /// A way to send from inside start-send.
    enum Loop: Sendable {
        /// Ends when a wait or a send is refused, and returns that status, or `ok`.
        case heedful(returnsStatus: Bool)
        /// Ends when its sender is gone, and not before that.
        case deaf
        /// In its first life its process is lost after 20 frames, and start-send returns when the next life
        /// has begun.
        case flooding
    }

    /// Deviations from correct behaviour.
    struct Script: Sendable {
        /// Its answer to an offer: kind, width, height, frames a second; nil to accept it.
        var answer: (kind: UInt32, width: UInt32, height: UInt32, fps: UInt32)?
        /// The failing step (`create`, `initialize`, `start-send`), with its status.
        var failing: (step: String, status: Status, reason: String)?
        /// Why no process is started for it; nil if one is.
        var processProblem: String?
        /// The warning of its sandbox in each life.
        var refusal: String?
        /// Number of frames before it gives up; nil for never.
        var frames: Int?
        /// Whether it takes new offers and follows them.
        var follows = false
        /// The frames that it leaves out; it waits for their time all the same.
        var silent = 0..<0
        /// Whether it leaves out a frame besides.
        var leavingOut: @Sendable (_ frame: Int) -> Bool = { _ in false }
        /// The size of a frame; nil for the agreed one.
        var size: (@Sendable (_ frame: Int) -> FrameSize?)?
        /// The frames that are sent with a rotation of 45 degrees.
        var tilted = 0..<0
        /// As a share: the frames that it leaves out because it has paused itself.
        var paused = 0..<0
        /// The frames that it leaves out because it has nothing new to send.
        var held = 0..<0
        /// The obstacle to its process that the host sees.
        var hindrance: String?
        /// Where it connects by itself; nil if the host makes it.
        var arrivals: FakeListener?
        /// How far its timestamps are ahead, in nanoseconds.
        var lead: Int64 = 0
        /// Its frame rate; nil for the agreed one.
        var fps: Int64?
        /// Whether it ends its thread and begins another one when it gets a new offer.
        var restartsItself = false
        /// The test's action when the source is stopped.
        var onStop: @Sendable () -> Void = {}
        /// How it sends from inside start-send; nil to send on a thread.
        var loop: Loop?
        /// The start-send that hangs until the session ends the life, from 1; nil if none.
        var hangingStart: Int?
        /// As a filter: the edits that it refuses after it has spoilt the frame, from 0.
        var refusing = 0..<0
        /// As a filter: whether it edits copies, as one in a process of its own.
        var editsCopies = false
        /// As a filter: how long each edit takes, in microseconds of real time.
        var editMicroseconds: UInt32 = 0
        /// The Y, U and V of a frame, by its number, and their matrix; nil for greys of BT.601.
        var color: (@Sendable (_ frame: Int) -> (yuv: [UInt8], matrix: ColorMatrix))?
    }

    private struct State {
        var sender: UInt64 = 0
        var handle: UInt64 = 0
        var revision: UInt32 = 0
        var size = gr_capability()
        var calls: [String: Int] = [:]
        var lose: @Sendable (String) -> Void = { _ in }
        var edited: [FrameSize] = []
    }

    let path = "/nowhere/fake.so"
    var arrivals: (any PeerListener)? { script.arrivals }
    private let script: Script
    private let copies = FramePool(limit: 24)
    private let state = Mutex(State())
    /// Whether its thread runs.
    private let isSending = Monitor(false)
    private let isTurningOver = Mutex(false)
    private let isKilled = Monitor(false)
    private let lives = Monitor(0)

    init(_ script: Script = Script()) { self.script = script }

    /// Number of calls of each step.
    var calls: [String: Int] { state.withLock { $0.calls } }

    var handle: UInt64 { state.withLock { $0.handle } }

    /// Loses its process.
    func crash() { state.withLock { $0.lose }("crashed: SIGSEGV") }

    /// As a filter: the sizes of the frames that it got.
    var edited: [FrameSize] { state.withLock { $0.edited } }

    /// A plan with this source.
    func plan(
        _ kind: PluginKind, onFailure: FailurePolicy = .end, isRequired: Bool = false
    ) -> SourcePlan {
        var configuration = PluginConfiguration("Fake")
        configuration.isRequired = isRequired
        return SourcePlan(
            factory: self,
            descriptor: PluginDescriptor(
                kind: kind, id: "test.fake", name: "Fake", version: "1", summary: "",
                parameters: []),
            settings: [], configuration: configuration, onFailure: onFailure)
    }

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        state.withLock {
            $0.handle = place.handle
            $0.lose = place.lose
        }
        if let refusal = script.refusal { place.warnOnce(refusal) }
        return self
    }

    var hindrance: String? { script.hindrance }

    // MARK: The plugin

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status {
        isKilled.change { $0 = false }
        lives.change { $0 += 1 }
        if let problem = script.processProblem {
            _ = did("create")
            throw LoadError(code: .noRunner, place: path, explanation: problem)
        }
        return did("create")
    }
    var takesNewOffers: Bool { script.follows }
    var pool: FramePool? { script.editsCopies ? copies : nil }

    func perform(_ call: PluginCall) -> PluginReply {
        var reply = PluginReply(to: call)
        switch call {
        case .initialize(let sender, let offer):
            state.withLock { $0.sender = sender }
            reply.status = did("initialize")
            reply.answer = answer(to: offer)
        case .propertyChange(let offer):
            reply.status = did("property-change")
            reply.answer = answer(to: offer)
            guard script.restartsItself, isSending.withLock({ $0 }) else { break }
            isTurningOver.withLock { $0 = true }
            _ = isSending.wait(until: nil) { $0 ? nil : true }
            isTurningOver.withLock { $0 = false }
            beginThread()
        case .startSend: reply.status = startSend()
        case .stopSend:
            _ = did("stop-send")
            script.onStop()
            _ = isSending.wait(until: nil) { $0 ? nil : true }
        case .uninitialize: _ = did("uninitialize")
        case .destroy: _ = did("destroy")
        default: reply.status = .unsupported
        }
        return reply
    }

    private func startSend() -> Status {
        let status = did("start-send")
        guard status == .ok else { return status }
        if calls["start-send"] == script.hangingStart {
            _ = isKilled.wait(until: nil) { $0 ? true : nil }
            return .ok
        }
        switch script.loop {
        case .heedful(let returnsStatus):
            let status = send()
            return returnsStatus ? status : .ok
        case .flooding:
            _ = send()
            return .ok
        case .deaf:
            while send() != .gone { usleep(5000) }
            return .ok
        case nil: break
        }
        beginThread()
        return .ok
    }

    private func beginThread() {
        isSending.change { $0 = true }
        Thread.detachNewThread {
            _ = self.send()
            self.isSending.change { $0 = false }
        }
    }

    /// Luma that a filter leaves in each frame, and that no source sends.
    static let mark: UInt8 = 230

    func process(_ frame: inout gr_mutable_frame) -> Status {
        let number = state.withLock { state in
            state.edited.append(FrameSize(width: Int(frame.width), height: Int(frame.height)))
            defer { state.calls["process", default: 0] += 1 }
            return state.calls["process", default: 0]
        }
        if script.editMicroseconds > 0 { usleep(script.editMicroseconds) }
        let refuses = script.refusing.contains(number)
        let plane = frame.planes.0
        plane.data?.update(
            repeating: refuses ? 99 : Self.mark, count: Int(plane.size_bytes))
        return refuses ? .failed : .ok
    }

    func kill() { isKilled.change { $0 = true } }

    private func did(_ step: String) -> Status {
        let handle = state.withLock {
            $0.calls[step, default: 0] += 1
            return $0.handle
        }
        guard let failing = script.failing, failing.step == step else { return .ok }
        if !failing.reason.isEmpty {
            HostInterface.host.pointee.set_error(handle, failing.reason)
        }
        return failing.status
    }

    private func answer(to offer: Offer?) -> gr_answer {
        guard let offer else { return gr_answer() }
        var answer = gr_answer(accepting: offer)
        if let (kind, width, height, fps) = script.answer {
            answer.kind = kind
            answer.capability = gr_capability(
                width: width, height: height, fps_numerator: fps, fps_denominator: 1)
        }
        state.withLock {
            $0.size =
                answer.capability.width == 0
                ? gr_capability(offer.suggested) : answer.capability
            $0.revision = offer.revision
        }
        return answer
    }

    /// Sends until the clock or the sender says that it is over.
    ///
    /// - Returns: What it said.
    private func send() -> Status {
        let (host, video) = (HostInterface.host.pointee, HostInterface.video.pointee)
        let (handle, sender) = state.withLock { ($0.handle, $0.sender) }
        let start = host.now_ns(handle)
        var due = start
        for number in 0... {
            if number == script.frames {
                host.give_up(handle, Status.unavailable.rawValue, "the camera was unplugged")
                return .ok
            }
            if number == 20, case .flooding? = script.loop, calls["create"] == 1 {
                state.withLock { $0.lose }("sends 900 frames/s, limit: 300/s")
                _ = lives.wait(until: nil) { $0 > 1 ? true : nil }
                return .gone
            }
            let waited = host.wait_until_ns(handle, due)
            guard waited == 0 else { return Status(rawValue: waited) }
            if isTurningOver.withLock({ $0 }) { return .ok }
            let (size, revision) = state.withLock { ($0.size, $0.revision) }
            let fps = script.fps ?? Int64(size.fps_numerator) / Int64(max(size.fps_denominator, 1))
            if number == script.paused.lowerBound, !script.paused.isEmpty {
                _ = HostInterface.broadcast.pointee.paused(handle)
            }
            if number == script.paused.upperBound, !script.paused.isEmpty {
                _ = HostInterface.broadcast.pointee.resumed(handle)
            }
            let held = script.held
            if !held.isEmpty, number == held.lowerBound || number == held.upperBound {
                _ = HostInterface.hold.pointee.held(handle, held.contains(number) ? 1 : 0)
            }
            if script.silent.contains(number) || script.leavingOut(number)
                || script.paused.contains(number) || script.held.contains(number)
            {
                due += 1_000_000_000 / max(fps, 1)
                continue
            }
            let scripted = script.size?(number)
            var lease = gr_lease()
            lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
            let status = video.acquire(
                sender, PixelFormat.i420.rawValue, scripted.map { UInt32($0.width) } ?? size.width,
                scripted.map { UInt32($0.height) } ?? size.height, &lease)
            guard status == 0 else { return Status(rawValue: status) }
            let grey = [UInt8](repeating: UInt8(40 + number % 160), count: 3)
            let (yuv, matrix) = script.color?(number) ?? (grey, .bt601)
            let planes = [lease.frame.planes.0, lease.frame.planes.1, lease.frame.planes.2]
            for (plane, value) in zip(planes, yuv) {
                plane.data?.update(repeating: value, count: Int(plane.size_bytes))
            }
            var info = gr_frame_info()
            info.struct_size = UInt32(MemoryLayout<gr_frame_info>.size)
            info.range = gr_color_range(1)
            info.matrix = gr_color_matrix(matrix.rawValue)
            info.offer_revision = revision
            info.pts_ns = due + script.lead
            if script.tilted.contains(number) { info.rotation = 45 }
            let sent = video.commit(sender, lease.id, &info)
            guard sent == 0 || info.rotation == 45 else { return Status(rawValue: sent) }
            due += 1_000_000_000 / max(fps, 1)
        }
        return .ok
    }
}

/// A socket to which a plugin connects at once, or none does.
final class FakeListener: PeerListener {
    let hasPendingPeer: Bool

    init(hasPeer: Bool) { hasPendingPeer = hasPeer }

    func open(_ tell: @escaping @Sendable (IncomingConnection) -> Void) {
        if hasPendingPeer { tell(.waiting("fake")) }
    }

    func close() {}
}
