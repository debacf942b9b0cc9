import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

/// A composer in Swift, without a shared library: an output that takes, and a source that sends.
final class FakeComposer: InstanceBackend, PluginFactory {
    let output: FakeOutput
    let source: FakeSource

    let path = "/nowhere/fake-composer.so"
    let arrivals: (any PeerListener)? = nil

    init(_ output: FakeOutput = FakeOutput(), source: FakeSource = FakeSource()) {
        self.output = output
        self.source = source
    }

    func plan(onFailure: FailurePolicy = .off) -> SourcePlan {
        SourcePlan(
            factory: self,
            descriptor: PluginDescriptor(
                kind: .composer, id: "test.fake-composer", name: "FakeComposer", version: "1",
                summary: "", parameters: []),
            settings: [], onFailure: onFailure)
    }

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        _ = output.begin(descriptor, in: place)
        _ = source.begin(descriptor, in: place)
        return self
    }

    // MARK: The plugin

    func create(_ settings: [PluginSetting]) throws(LoadError) -> Status {
        _ = try output.create(settings)
        return try source.create(settings)
    }
    var capabilities: [VideoCapability] { [] }
    var takesNewOffers: Bool { source.takesNewOffers }
    var pool: FramePool? { nil }
    var sandbox: [SandboxLayerState]? { nil }

    func initialize(sender: UInt64, offer: Offer?) -> (status: Status, answer: gr_answer) {
        guard sender != 0, offer != nil else { return (.badArgument, gr_answer()) }
        return source.initialize(sender: sender, offer: offer)
    }

    func propertyChange(offer: Offer) -> (status: Status, answer: gr_answer) {
        source.propertyChange(offer: offer)
    }

    func describe(_ track: OutputTrack, _ want: inout gr_want) -> Status {
        output.describe(track, &want)
    }

    func startSend() -> Status {
        _ = output.startSend()
        return source.startSend()
    }

    func stopSend() {
        source.stopSend()
        output.stopSend()
    }

    func trackEnded(_ track: UInt32) { output.trackEnded(track) }
    func uninitialize() { source.uninitialize() }
    func destroy() { source.destroy() }
    func setParameter(_ setting: PluginSetting) -> Status { .unsupported }
    func address(ofExtension id: String) -> UInt64? { nil }
    func process(_ frame: inout gr_mutable_frame) -> Status { .unsupported }

    func kill() {
        output.kill()
        source.kill()
    }

    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status? {
        output.take(&frame, in: memory)
    }

    func take(_ block: inout gr_output_block) -> Status { output.take(&block) }
}
