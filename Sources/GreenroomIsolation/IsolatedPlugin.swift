import GreenroomABI
import GreenroomIPC
import GreenroomConversion
import GreenroomNegotiation
import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia
import GreenroomSandbox
import Synchronization

/// A life in a process of its own.
///
/// Each function is a call through a channel, during which the calling thread serves what the
/// plugin calls meanwhile.
final class IsolatedPlugin: InstanceBackend {
    private struct State {
        var runner: RunnerProcess?
        var pool: FramePool?
        var capabilities: [VideoCapability] = []
        var takesNewOffers = false
        /// What the process was confined by, once it has gone.
        var sandbox: SandboxReport?
        /// The process was not wanted any more before it was there.
        var isKilled = false
    }

    private let factory: any RunnerFactory
    private let descriptor: PluginDescriptor
    private let place: InstanceContext
    private let state = Mutex(State())

    init(_ factory: any RunnerFactory, _ descriptor: PluginDescriptor, _ place: InstanceContext) {
        self.factory = factory
        self.descriptor = descriptor
        self.place = place
    }

    var capabilities: [VideoCapability] { state.withLock { $0.capabilities } }
    var takesNewOffers: Bool { state.withLock { $0.takesNewOffers } }
    var pool: FramePool? { state.withLock { $0.pool } }

    var sandbox: [SandboxLayerState]? {
        let report = state.withLock { $0.runner?.sandbox ?? $0.sandbox }
        return report?.entries.map {
            SandboxLayerState(name: $0.layer.name, state: "\($0.state)", text: $0.text)
        }
    }

    private var runner: RunnerProcess? { state.withLock { $0.runner } }

    // MARK: The beginning

    func create(_ settings: [Setting]) throws(LoadError) -> Status {
        let frames = try makeFrames()
        let runner = try start(frames)
        try runner.enterSandbox()
        let found = try runner.load(factory.path).descriptors
        let choice = try factory.choose(from: found, meaning: descriptor, settings)
        factory.observer?.prepare(frames: frames) { runner.call($0, $1) }
        switch create(choice.plugin, choice.settings, in: runner) {
        case .made(let status): return status
        case .refused(let error): throw error
        case .lost: throw runner.lossWhileMade(factory.path)
        case .garbage: throw runner.garbage(factory.path)
        }
    }

    private enum Creation {
        case made(Status)
        case refused(LoadError)
        case lost
        case garbage
    }

    /// The memory that the plugin's frames lie in.
    private func makeFrames() throws(LoadError) -> SharedMemory? {
        guard place.frameLimit > 0 else { return nil }
        do throws(ChannelError) {
            let frames = try SharedMemory(
                name: "greenroom-frames", byteCount: place.frameLimit * FrameArena.slotByteCount)
            let pool = FramePool(
                limit: place.frameLimit, slotByteCount: FrameArena.slotByteCount,
                memory: frames.base, owner: frames,
                guarding: factory.observer?.guarding)
            state.withLock { $0.pool = pool }
            return frames
        } catch {
            throw .noRunner(error, for: factory.path)
        }
    }

    private func start(_ frames: SharedMemory?) throws(LoadError) -> RunnerProcess {
        let runner = try factory.start(frames, in: place)
        let isKilled = state.withLock { state in
            state.runner = runner
            return state.isKilled
        }
        if isKilled { runner.kill() }
        return runner
    }

    private func create(
        _ plugin: PluginDescriptor, _ settings: [Setting], in runner: RunnerProcess
    ) -> Creation {
        var message = WireWriter()
        message.write(plugin.id)
        message.write(place.handle)
        message.write(place.hasVirtualClock)
        message.write(settings) { $0.write($1) }
        guard var answer = runner.call(.create, message) else { return .lost }
        do throws(WireReader.Problem) {
            guard try answer.readBool() else { return .refused(try answer.readLoadError()) }
            let status = Status(rawValue: try answer.read())
            let takesNewOffers = try answer.readBool()
            let capabilities = try answer.readArray(
                most: Int(GR_MAX_CAPABILITIES)
            ) { reader throws(WireReader.Problem) in try reader.readCapability() }
            state.withLock {
                $0.takesNewOffers = takesNewOffers
                $0.capabilities = capabilities
            }
            return .made(status)
        } catch {
            return .garbage
        }
    }

    // MARK: The steps

    func initialize(sender: UInt64, offer: Offer?) -> (status: Status, answer: gr_answer) {
        var message = WireWriter()
        message.write(sender)
        message.write(offer) { $0.write($1) }
        runner?.hands(over: sender)
        return answered(.initialize, message, accepting: offer)
    }

    func propertyChange(offer: Offer) -> (status: Status, answer: gr_answer) {
        var message = WireWriter()
        message.write(offer)
        return answered(.propertyChange, message, accepting: offer)
    }

    func setParameter(_ setting: Setting) -> Status {
        var message = WireWriter()
        message.write(setting)
        return step(.setParameter, message)
    }

    func startSend() -> Status { step(.startSend) }
    func stopSend() { _ = step(.stopSend) }
    func uninitialize() { _ = step(.uninitialize) }

    func destroy() {
        _ = step(.destroy)
        runner?.end()
    }

    func kill() {
        // With the process goes all memory that was shared with it, once its frames are shown.
        let runner = state.withLock { state in
            state.isKilled = true
            state.pool = nil
            state.sandbox = state.runner?.sandbox ?? state.sandbox
            return state.runner.take()
        }
        runner?.kill()
    }

    private func step(_ call: Call, _ message: WireWriter = WireWriter()) -> Status {
        guard let runner, var answer = runner.call(call, message) else { return .gone }
        guard let status = try? answer.read(Int32.self) else {
            runner.lose(because: "its process answered with something that is no answer")
            return .gone
        }
        return Status(rawValue: status)
    }

    private func answered(
        _ call: Call, _ message: WireWriter, accepting offer: Offer?
    ) -> (status: Status, answer: gr_answer) {
        var written = offer.map { gr_answer(accepting: $0) } ?? gr_answer()
        guard let runner, var answer = runner.call(call, message) else { return (.gone, written) }
        do throws(WireReader.Problem) {
            let status = Status(rawValue: try answer.read())
            written.kind = try answer.read()
            written.capability = gr_capability(
                width: try answer.read(), height: try answer.read(),
                fps_numerator: try answer.read(), fps_denominator: try answer.read())
            return (status, written)
        } catch {
            runner.lose(because: "its process answered with something that is no answer")
            return (.gone, written)
        }
    }

    func address(ofExtension id: String) -> UInt64? {
        var message = WireWriter()
        message.write(id)
        guard let runner, var answer = runner.call(.askExtension, message) else { return nil }
        do throws(WireReader.Problem) {
            // The status comes first, as with every step.
            _ = try answer.read(Int32.self)
            let address: UInt64 = try answer.read()
            return address == 0 ? nil : address
        } catch {
            runner.lose(because: "its process answered with something that is no answer")
            return nil
        }
    }

    func process(_ frame: inout gr_mutable_frame) -> Status {
        guard let runner else { return .gone }
        return runner.process(frame)
    }
}
