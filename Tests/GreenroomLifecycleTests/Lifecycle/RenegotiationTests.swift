import GreenroomModel
import GreenroomConversion
import GreenroomMedia
@testable import GreenroomNegotiation
@testable import GreenroomRuntime
@testable import GreenroomVideo
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

/// New offers, live parameters and capabilities over the C border, with a real shared library.
@Suite struct RenegotiationTests {
    /// The plugin's log lines.
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    private static let built = Result {
        let folder = try TemporaryFolder()
        let path = folder("negotiating.so")
        let run = try ChildProcess.run(
            "cc",
            [
                "-std=c11", "-O1", "-g", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wpedantic",
                "-Werror", "-I", Checkout.include,
                Checkout.root + "/Tests/HostilePlugins/negotiating/negotiating.c", "-o", path,
            ])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        // The library stays mapped after its file is removed.
        return try PluginLibrary(onThisThread: path)
    }

    private static let table = CapabilityTable.standard
    private static let full = VideoCapability(width: 1280, height: 720, fps: 30)
    private static let low = VideoCapability(width: 640, height: 360, fps: 15)

    private let log = Log()

    private func instance(_ name: String, mode: String) throws -> PluginInstance {
        let library = try Self.built.get()
        let descriptor = try #require(library.descriptors.first { $0.name == name })
        let (settings, problems) = descriptor.check(
            settings: [("mode", .string(mode))], relativeTo: "/")
        #expect(problems.isEmpty)
        let clock = SessionClock()
        let log = log
        return PluginInstance(
            plan: SourcePlan(factory: library, descriptor: descriptor, settings: settings),
            number: 0,
            role: "camera", clock: clock,
            events: SessionEvents { event in
                if case .pluginLog(_, _, let text) = event {
                    log.lines.withLock { $0.append(text) }
                }
            },
            videoIngest: VideoIngest(
                pool: FramePool(limit: 8), track: VideoTrackInput(clock: clock), clock: clock))
    }

    private func finish(_ instance: PluginInstance, _ step: PluginInstance.PendingStep)
        -> PluginInstance.StepResult?
    {
        instance.finish(step, until: MonotonicClock.deadline(after: 30_000_000_000))
    }

    /// A sending instance, and its negotiation.
    private func sending(
        _ name: String, mode: String
    ) throws -> (instance: PluginInstance, negotiator: Negotiator) {
        let instance = try instance(name, mode: mode)
        #expect(finish(instance, instance.beginCreate()) == .done)
        var negotiator = Negotiator(
            rule: .rows, table: Self.table, maximum: Self.full,
            capabilities: instance.capabilities)
        let offer = try next(of: &negotiator)
        #expect(finish(instance, instance.beginInitialize(offer: offer)) == .done)
        negotiator.answered(try #require(instance.reply(to: 1)))
        #expect(finish(instance, instance.beginStartSend()) == .done)
        return (instance, negotiator)
    }

    private func next(of negotiator: inout Negotiator) throws -> Offer {
        let offer = negotiator.next(at: 1)
        return try #require(offer)
    }

    private func end(_ instance: PluginInstance) {
        for step in [
            instance.beginStopSend(), instance.beginUninitialize(), instance.beginDestroy(),
        ] {
            #expect(finish(instance, step) == .done)
        }
    }

    @Test(arguments: [
        ("", Reply.answered(.accept), "640x360@15"),
        (
            "counter", .answered(.counter(VideoCapability(width: 212, height: 160, fps: 15))),
            "212x160@15"
        ),
        (
            "fixed", .answered(.fixed(VideoCapability(width: 1024, height: 768, fps: 60))),
            "1024x768@60"
        ),
    ])
    func `a new offer is answered like the first one`(
        mode: String, reply: Reply, source: String
    ) throws {
        var (instance, negotiator) = try sending("Negotiates", mode: mode)
        negotiator.set(Self.low, kind: .outside, origin: "test", at: 1)
        let offer = try next(of: &negotiator)
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .done)
        #expect(instance.reply(to: 2) == reply)
        #expect(instance.reply(to: 1) == nil)
        #expect(instance.newestOffer == offer)
        negotiator.answered(reply)
        #expect(negotiator.source?.description == source)
        #expect(instance.agreement?.source.description == source)
        #expect(instance.agreement?.track == negotiator.track)
        #expect(instance.lifecycle == .sending)
        let told = log.lines.withLock { $0 }
        #expect(told.first == "offer 2 reason 2 rows 11 640x360@15 answer 1 640")
        end(instance)
    }

    @Test(arguments: [
        ("outside", Status.badAnswer, "999x998@1"), ("unknown", .badAnswer, "77"),
        ("fail", .failed, "the lens is stuck"),
    ])
    func `a refused offer keeps the agreement, and has the status and the reason`(
        mode: String, status: Status, words: String
    ) throws {
        var (instance, negotiator) = try sending("Negotiates", mode: mode)
        negotiator.set(Self.low, kind: .outside, origin: "test", at: 1)
        let offer = try next(of: &negotiator)
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .done)
        guard case .refused(let told, let text) = instance.reply(to: 2) else {
            Issue.record("\(String(describing: instance.reply(to: 2)))")
            return
        }
        #expect(told == status)
        #expect(text.contains(words), "\(text)")
        #expect(instance.agreement?.source == Self.full)
        end(instance)
    }

    @Test func `a plugin may send a frame for a new offer from inside property-change`() throws {
        var (instance, negotiator) = try sending("Negotiates", mode: "")
        negotiator.set(Self.low, kind: .outside, origin: "test", at: 1)
        let offer = try next(of: &negotiator)
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .done)
        #expect(
            log.lines.withLock { Array($0.suffix(2)) } == ["lent for 1", "sent inside 0"])
        let ingest = try #require(instance.videoIngest)
        #expect(ingest.followed.map(\.revision) == [2])
        #expect(ingest.followed.map(\.frames) == [0])
        #expect(ingest.counts.staleRevision == 0)
        end(instance)
    }

    @Test func `a plugin without property-change gets no new offer`() throws {
        var (instance, negotiator) = try sending("Deaf", mode: "")
        let first = instance.newestOffer
        negotiator.set(Self.low, kind: .outside, origin: "test", at: 1)
        let offer = try next(of: &negotiator)
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .done)
        #expect(instance.reply(to: 2) == .ignored)
        #expect(instance.newestOffer == first)
        end(instance)
    }

    /// An offer limited only by a low maximum.
    private var secondOffer: Offer {
        NegotiationInputs(
            rule: .rows, table: Self.table, ceilings: [.sessionMaximum(Self.low)]
        ).offer(revision: 2, after: nil)
    }

    @Test func `new offers and parameters are refused in states that do not allow them`() throws {
        let instance = try instance("Negotiates", mode: "")
        let offer = secondOffer
        let setting = PluginSetting(name: "mode", type: .string, value: .string("fail"))
        #expect(finish(instance, instance.beginCreate()) == .done)
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .illegal(.created))
        #expect(finish(instance, instance.beginSetParameter(setting)) == .done)
        #expect(instance.reply(to: 2) == nil)
        #expect(finish(instance, instance.beginDestroy()) == .done)
        #expect(finish(instance, instance.beginSetParameter(setting)) == .illegal(.destroyed))
    }

    @Test func `a live parameter gets its new value only if the plugin accepts it`() throws {
        let (instance, _) = try sending("Negotiates", mode: "fixed")
        func set(_ name: String, _ value: String) -> PluginInstance.StepResult? {
            finish(
                instance,
                instance.beginSetParameter(
                    PluginSetting(name: name, type: .string, value: .string(value))))
        }
        func now(_ name: String) -> ParameterValue? {
            instance.settings.first { $0.name == name }?.value
        }
        #expect(set("mode", "counter") == .done)
        #expect(now("mode") == .string("counter"))
        #expect(set("mode", "refuse") == .failed(.failed, .given("not that")))
        #expect(now("mode") == .string("counter"))
        for name in ["name", "absent"] {
            guard case .failed(.badSetting, .given(let text)) = set(name, "x") else {
                Issue.record("\(name) was set")
                continue
            }
            #expect(text.contains(name))
        }
        #expect(now("name") == .string(""))
        // The plugin uses the new value.
        let offer = secondOffer
        #expect(finish(instance, instance.beginPropertyChange(offer: offer)) == .done)
        #expect(instance.reply(to: 2)?.recorded == .counter)
        end(instance)
    }

    @Test(arguments: [
        ("", []), ("makes none", []), ("makes two", ["640x360@30", "1280x720@30000/1001"]),
    ])
    func `a source's capabilities are read after create`(
        mode: String, capabilities: [String]
    ) throws {
        let instance = try instance("Negotiates", mode: mode)
        #expect(instance.capabilities.isEmpty)
        #expect(finish(instance, instance.beginCreate()) == .done)
        #expect(instance.capabilities.map(\.description) == capabilities)
        #expect(finish(instance, instance.beginDestroy()) == .done)
    }

    @Test(arguments: [
        ("bad size", "rows[1] is 8193x720"), ("bad rate", "rows[0] has the rate 0/1"),
        ("null rows", "rows is NULL"), ("many rows", "257"), ("small size", "struct_size is 8"),
    ])
    func `impossible capabilities are refused with the rule`(mode: String, words: String) throws {
        let instance = try instance("Negotiates", mode: mode)
        guard
            case .failed(.badArgument, .given(let text)) = finish(instance, instance.beginCreate())
        else {
            Issue.record("it was made")
            return
        }
        #expect(text.contains("greenroom.video-capabilities/1") && text.contains(words), "\(text)")
        #expect(instance.lifecycle == .faulted)
    }
}
