import GreenroomABI
import GreenroomMedia
import GreenroomModel

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
    var takesNewOffers: Bool { source.takesNewOffers }

    func perform(_ call: PluginCall) -> PluginReply {
        switch call {
        case .initialize(let sender, let offer):
            guard sender != 0, offer != nil else { return PluginReply(to: call, .badArgument) }
        case .track, .trackEnded: return output.perform(call)
        case .startSend: _ = output.perform(call)
        case .stopSend:
            let reply = source.perform(call)
            _ = output.perform(call)
            return reply
        default: break
        }
        return source.perform(call)
    }

    func kill() {
        output.kill()
        source.kill()
    }

    func take(_ frame: inout gr_output_frame, in memory: (any AnyObject & Sendable)?) -> Status? {
        output.take(&frame, in: memory)
    }

    func take(_ block: inout gr_output_block) -> Status { output.take(&block) }
}
