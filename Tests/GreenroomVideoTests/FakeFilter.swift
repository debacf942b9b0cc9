import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
@testable import GreenroomNegotiation
@testable import GreenroomRuntime
import Synchronization

@testable import GreenroomLifecycle
@testable import GreenroomVideo
@testable import GreenroomPluginInterface

/// A filter that adds to the first byte of a frame, with scripted behaviour.
final class FakeFilter: InstanceBackend, PluginFactory {
    enum Behaviour: Sendable {
        /// Edits the frame.
        case edit
        /// Spoils the frame, then returns this status.
        case refuse(Status)
        /// Edits the frame when the test allows it.
        case wait
        /// Edits the frame after a delay.
        case work(milliseconds: UInt32)
    }

    /// What it does about another size of its frames.
    enum Change: Sendable {
        /// It has no property change.
        case none
        /// It returns this status.
        case answer(Status)
        /// It returns when the test allows it.
        case wait
    }

    struct Failure: Error {
        var text: String
    }

    let path = "/nowhere/fake.so"
    let pool: FramePool?
    private let adds: UInt8
    private let behaviour = Mutex(Behaviour.edit)
    /// What ``Behaviour/wait`` waits for.
    let ingest = Monitor(false)
    private let calls = Atomic(0)
    private let change: Change
    /// What it was told of, and the sizes of the frames that it got.
    let told = Mutex<(changes: [Offer], sizes: [FrameSize])>(([], []))

    /// - Parameters:
    ///   - pool: Where its frames must be; nil for a filter in the host's process.
    ///   - adds: The number to add.
    init(pool: FramePool?, adds: UInt8 = 100, change: Change = .none) {
        self.change = change
        self.pool = pool
        self.adds = adds
    }

    var callCount: Int { calls.load(ordering: .relaxed) }

    func behave(_ next: Behaviour) { behaviour.withLock { $0 = next } }

    /// A sending instance, on its media thread.
    func runner(
        _ clock: SessionClock, _ events: SessionEvents = SessionEvents { _ in },
        isRequired: Bool = false
    ) throws -> PreProcessorRunner {
        let descriptor = PluginDescriptor(
            kind: .preProcessor, id: "test.fake", name: "Fake", version: "1", summary: "",
            vendor: nil, url: nil, parameters: [])
        var configuration = PluginConfiguration("Fake")
        configuration.isRequired = isRequired
        let instance = PluginInstance(
            plan: SourcePlan(
                factory: self, descriptor: descriptor, settings: [], configuration: configuration),
            number: 7,
            role: "camera.pre-processors[0]", clock: clock, events: events)
        try Self.start(instance)
        return PreProcessorRunner(instance, clock: clock)
    }

    /// Moves an instance from creation to sending.
    static func start(_ instance: PluginInstance) throws {
        let row = VideoCapability(width: 64, height: 48, fps: 30)
        let offer = Offer(revision: 1, rule: .rows, rows: [row], suggested: row)
        try finish(instance.beginCreate(), of: instance)
        try finish(instance.beginInitialize(offer: offer), of: instance)
        try finish(instance.beginStartSend(), of: instance)
    }

    static func finish(_ step: PluginInstance.PendingStep, of instance: PluginInstance) throws {
        let result = instance.finish(step, until: MonotonicClock.deadline(after: 30_000_000_000))
        guard result == .done else { throw Failure(text: "\(step.step): \(result as Any)") }
    }

    // MARK: The plugin

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        self
    }
    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status { .ok }
    var takesNewOffers: Bool { if case .none = change { false } else { true } }

    func perform(_ call: PluginCall) -> PluginReply {
        guard case .propertyChange(let offer) = call else { return PluginReply(to: call) }
        told.withLock { $0.changes.append(offer) }
        switch change {
        case .none: return PluginReply(to: call, .unsupported)
        case .answer(let status): return PluginReply(to: call, status)
        case .wait:
            _ = ingest.wait(until: nil) { $0 ? true : nil }
            return PluginReply(to: call)
        }
    }

    func process(_ frame: inout gr_mutable_frame) -> Status {
        calls.add(1, ordering: .relaxed)
        told.withLock {
            $0.sizes.append(FrameSize(width: Int(frame.width), height: Int(frame.height)))
        }
        guard let pixels = frame.planes.0.data else { return .badArgument }
        switch behaviour.withLock({ $0 }) {
        case .edit:
            break
        case .refuse(let status):
            pixels[0] = 255
            return status
        case .wait:
            _ = ingest.wait(until: nil) { $0 ? true : nil }
        case .work(let milliseconds):
            MonotonicClock.sleep(milliseconds: milliseconds)
        }
        pixels[0] &+= adds
        return .ok
    }
}

extension PreProcessorRunner {
    /// The instance of a runner that ``FakeFilter`` made.
    var instance: PluginInstance {
        guard let instance = filter as? PluginInstance else {
            preconditionFailure("its filter is no instance")
        }
        return instance
    }
}
