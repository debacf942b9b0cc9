import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomVideo
import Synchronization
import Testing

@testable import GreenroomPluginInterface
@testable import GreenroomLifecycle

/// What persists between two lives of a plugin, and what an ended life must not change.
@Suite struct PluginLifeTests {
    private static let row = VideoCapability(width: 64, height: 48, fps: 30)
    private static let offer = Offer(revision: 1, rule: .rows, rows: [row], suggested: row)
    private let source = HangingSource()

    private func instance() -> PluginInstance {
        let clock = SessionClock()
        let descriptor = PluginDescriptor(
            kind: .videoSource, id: "test.hangs", name: "Hangs", version: "1", summary: "",
            vendor: nil, url: nil, parameters: [])
        let setting = PluginSetting(name: "mode", type: .string, value: .string(""))
        return PluginInstance(
            plan: SourcePlan(factory: source, descriptor: descriptor, settings: [setting]),
            number: 0, role: "camera", clock: clock, events: SessionEvents { _ in },
            videoIngest: VideoIngest(
                pool: FramePool(limit: 8), track: VideoTrackInput(clock: clock), clock: clock))
    }

    private func finish(_ instance: PluginInstance, _ step: PluginInstance.PendingStep)
        -> PluginInstance.StepResult?
    {
        instance.finish(step, until: MonotonicClock.deadline(after: 30_000_000_000))
    }

    @Test func `a callback that returns after its life ended does not affect the next life`()
        throws
    {
        let instance = instance()
        source.hangs.change { $0 = true }
        #expect(finish(instance, instance.beginCreate()) == .done)
        let hung = instance.beginInitialize(offer: Self.offer)
        let dead: UInt64? = source.senders.wait(
            until: MonotonicClock.deadline(after: 30_000_000_000)
        ) { $0.first }
        #expect(instance.finish(hung, until: MonotonicClock.now) == nil)
        instance.giveUp(because: "it hangs")
        #expect(instance.lifecycle == .faulted)
        #expect(instance.fault == "it hangs")

        source.hangsNext.change { $0 = false }
        #expect(finish(instance, instance.beginCreate()) == .done)
        #expect(finish(instance, instance.beginInitialize(offer: Self.offer)) == .done)
        #expect(finish(instance, instance.beginStartSend()) == .done)
        let sender = try #require(source.senders.withLock { $0.last })
        #expect(HostCalls.videoIngests[sender] != nil)

        source.hangs.change { $0 = false }
        #expect(finish(instance, hung) != nil)
        #expect(instance.lifecycle == .sending)
        #expect(instance.fault == nil)
        #expect(instance.agreement?.source == Self.row)
        #expect(HostCalls.videoIngests[sender] != nil)
        // The hung callback's sender is dead; the new one is open.
        #expect(HostCalls.videoIngests[try #require(dead)] == nil)
        var lease = gr_lease()
        lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
        #expect(
            HostInterface.video.pointee.acquire(sender, PixelFormat.i420.rawValue, 64, 48, &lease)
                == Status.ok.rawValue)
        instance.giveUp(because: "the test is over")
    }

    @Test func `settings and statistics persist between lives, the agreement does not`() {
        let instance = instance()
        #expect(instance.lifecycle == .created)
        #expect(finish(instance, instance.beginDestroy()) == .illegal(.created))
        #expect(finish(instance, instance.beginCreate()) == .done)
        #expect(finish(instance, instance.beginCreate()) == .illegal(.created))
        #expect(finish(instance, instance.beginInitialize(offer: Self.offer)) == .done)
        instance.giveUp(because: "it failed")
        instance.remember(PluginSetting(name: "mode", type: .string, value: .string("other")))
        #expect(finish(instance, instance.beginCreate()) == .done)
        #expect(source.settings.withLock { $0 }.map(\.value) == [.string(""), .string("other")])
        #expect(instance.agreement == nil)
        #expect(instance.newestOffer == Self.offer)
        #expect(instance.callbackTimes["create"]?.calls == 2)
        #expect(instance.callbackTimes["initialize"]?.calls == 1)
        #expect(finish(instance, instance.beginDestroy()) == .done)
        #expect(instance.lifecycle == .destroyed)
    }
}

/// A source that hangs in initialize while the test requires it.
private final class HangingSource: PluginFactory {
    let path = "/nowhere/fake.so"
    /// Whether hanging callbacks continue to hang.
    let hangs = Monitor(false)
    /// Whether the next callback hangs while ``hangs`` is set.
    let hangsNext = Monitor(true)
    let senders = Monitor<[UInt64]>([])
    let settings = Mutex<[PluginSetting]>([])

    func begin(_ descriptor: PluginDescriptor, in place: InstanceContext) -> any InstanceBackend {
        Life(source: self)
    }

    private final class Life: InstanceBackend {
        let source: HangingSource
        init(source: HangingSource) { self.source = source }

        func create(_ settings: [PluginSetting]) throws(LoadError) -> Status {
            source.settings.withLock { $0 += settings }
            return .ok
        }

        func perform(_ call: PluginCall) -> PluginReply {
            if case .initialize(let sender, _) = call {
                source.senders.change { $0.append(sender) }
                if source.hangsNext.withLock({ $0 }) {
                    _ = source.hangs.wait(until: nil) { $0 ? nil : true }
                }
            }
            return PluginReply(to: call)
        }
    }
}
