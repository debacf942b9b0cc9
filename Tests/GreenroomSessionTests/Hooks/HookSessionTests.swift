import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomSession

/// Hooks of sessions on the virtual clock.
@Suite(.ownThreads) struct HookSessionTests {
    /// A session with a call that Ana visits.
    private func session() throws -> InProcessSession {
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: 500)
        let call = FakeOutput(
            .init(
                want: { _, want in want.is_wanted = 0 },
                farEnd: { call in
                    let far = FarEnd(call)
                    let ana = far.join("Ana")
                    far.wait(milliseconds: 100)
                    far.leave(ana.number)
                }))
        session.plan.outputs[session.plan.configuration.outputs.count] = call.plan()
        session.plan.configuration.outputs.append(.call(PluginConfiguration("FakeCall")))
        return session
    }

    private final class Deliveries: Sendable {
        private let all = Mutex<[HookEvent]>([])

        func add(_ event: HookEvent) { all.withLock { $0.append(event) } }

        /// The events of a hook, in order.
        func of(_ trigger: HookTrigger) -> [HookEvent] {
            all.withLock { all in
                all.filter { $0.variables["GREENROOM_EVENT"] == trigger.rawValue }
            }
        }
    }

    @Test func `hooks receive the events of their session, and the report lists them`() throws {
        let deliveries = Deliveries()
        var session = try self.session()
        for trigger in HookTrigger.allCases {
            session.plan.hooks[trigger] = .command([trigger.rawValue])
        }
        session.plan.deliver = { event, job, _ in
            guard case .command(let words) = job else { return .failed("a request", isFinal: true) }
            #expect(words == [event.variables["GREENROOM_EVENT"] ?? ""])
            deliveries.add(event)
            return .delivered
        }
        let result = try session.run()
        #expect(deliveries.of(.guestJoined).map(\.about) == ["Ana"])
        #expect(deliveries.of(.guestLeft).first?.variables["GREENROOM_PARTICIPANT"] == "Ana")
        #expect(deliveries.of(.lost).isEmpty)
        let video = try #require(deliveries.of(.fileFinished).first)
        #expect(video.variables["GREENROOM_FILE"] == "\(result.recording)/camera.y4m")
        let end = try #require(deliveries.of(.ended).first)
        #expect(end.variables["GREENROOM_OUTCOME"] == "finished")
        let text = try #require(
            JSONSerialization.jsonObject(with: Data(end.text.utf8)) as? [String: Any])
        #expect(text["event"] as? String == "ended" && text["outcome"] as? String == "finished")
        let ids = HookTrigger.allCases.flatMap { deliveries.of($0).map(\.id) }
        #expect(Set(ids).count == ids.count && ids.allSatisfy { $0.utf8.count == 36 })
        let hooks = try #require(result.report.hooks)
        #expect(hooks.map(\.on) == HookTrigger.allCases.map(\.rawValue))
        #expect(hooks.map(\.delivered) == HookTrigger.allCases.map { deliveries.of($0).count })
        let written = try String(
            contentsOfFile: "\(result.recording)/session.json", encoding: .utf8)
        #expect(written.contains(#""on" : "ended""#))
    }

    @Test func `an event that is not delivered is in the log, the summary and the report`() throws {
        var session = try self.session()
        session.plan.hooks = [.guestJoined: .command(["x"]), .ended: .command(["x"])]
        session.plan.deliver = { event, _, _ in
            event.about == "Ana" ? .failed("x ended with exit code 1", isFinal: true) : .delivered
        }
        let result = try session.run()
        let joined = try #require(result.report.hooks?.first)
        #expect(joined.delivered == 0 && joined.attempts == 1)
        #expect(joined.undelivered.map(\.reason) == ["x ended with exit code 1"])
        #expect(
            result.report.summary.contains(
                "on.guest-joined: 1 of 1 events not delivered; the log says why"))
        let lines = result.events.compactMap { event -> String? in
            guard case .pluginLog("on.guest-joined", .warning, let text) = event else { return nil }
            return text
        }
        #expect(lines == ["not delivered: Ana: x ended with exit code 1"])
    }

    @Test func `a session that does not start still delivers the event ended`() throws {
        let deliveries = Deliveries()
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), milliseconds: 500)
        session.plan.outputs[1] = FakeOutput(.init(failing: ("initialize", .badSetting))).plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        session.plan.hooks = [.ended: .command(["x"])]
        session.plan.deliver = { event, _, _ in
            deliveries.add(event)
            return .delivered
        }
        let result = try session.run()
        #expect(
            deliveries.of(.ended).map { $0.variables["GREENROOM_OUTCOME"] }
                == [result.report.outcome.rawValue])
    }
}
