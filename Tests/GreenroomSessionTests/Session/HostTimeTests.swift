import GreenroomDecisions
import Foundation
import GreenroomABI
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomOutputs
@testable import GreenroomRuntime
@testable import GreenroomSession

/// Sessions whose deadlines are on a clock of the test's: they pass when the test says so.
@Suite struct HostTimeTests {
    @Test func `a callback hangs when its deadline has passed, and not before`() throws {
        let camera = FakeSource(.init(hangingStart: 1))
        var session = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .restart), milliseconds: 2000)
        session.plan.configuration.callbackDeadline = .seconds(2)
        let time = ManualTime()
        session.host = HostClock(time)
        let test = Thread {
            while camera.calls["start-send"] == nil { sched_yield() }
            // The limit, and no more.
            time.advance(by: 2_000_000_000)
        }
        test.start()
        let result = try session.run()
        #expect(result.hangs == ["camera: start-send"])
        #expect(result.plugin("camera")?.losses?.map(\.evidence) == ["hangs in start-send"])
        #expect(camera.calls["start-send"] == 2 && result.report.outcome == .finished)
    }

    @Test(arguments: [Status.ok, .failed])
    func `while an output stops, a lost camera restarts and a command stops the share`(
        status: Status
    ) throws {
        let camera = FakeSource(.init(frames: 3))
        let share = FakeSource()
        let output = FakeOutput(
            .init(
                onStop: {
                    while camera.calls["create", default: 0] < 2 || share.calls["stop-send"] == nil
                    {
                        sched_yield()
                    }
                },
                onVideo: { output, _ in
                    guard output.frames.count == 1 else { return }
                    HostInterface.host.pointee.give_up(
                        output.handle, status.rawValue, "the disk is full")
                }))
        var session = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .restart),
            share: share.plan(.shareSource), milliseconds: 2000)
        session.plan.configuration.clock = .real
        session.plan.configuration.timeline = [
            TimelineEntry(time: .milliseconds(200), command: .stop(.share), origin: "test")
        ]
        session.plan.outputs[session.plan.configuration.outputs.count] = output.plan()
        session.plan.configuration.outputs.append(
            SessionOutput(PluginOutput(PluginConfiguration("FakeOutput"))))
        let result = try session.run()
        #expect(output.steps.suffix(3) == ["stop-send", "uninitialize", "destroy"])
        #expect(result.hangs.isEmpty && result.report.outcome == .finished)
        #expect(result.dropped == (status == .ok ? [] : ["outputs[1]"]))
    }

    @Test func `a plugin's deadline replaces the session's`() throws {
        let camera = FakeSource(.init(hangingStart: 1))
        var plan = camera.plan(.videoSource, onFailure: .restart)
        plan.configuration.callbackDeadline = .seconds(5)
        var session = try InProcessSession(camera: plan, milliseconds: 2000)
        session.plan.configuration.callbackDeadline = .seconds(2)
        let time = ManualTime()
        session.host = HostClock(time)
        let test = Thread {
            while camera.calls["start-send"] == nil { sched_yield() }
            time.advance(by: 3_000_000_000)
            // The session waits on.
            while !time.awaits(time.now + 2_000_000_000) { sched_yield() }
            time.advance(by: 2_000_000_000)
        }
        test.start()
        let result = try session.run()
        #expect(result.hangs == ["camera: start-send"])
        let seconds = result.events.compactMap { event -> Double? in
            if case .callbackHangs(_, _, let seconds) = event { seconds } else { nil }
        }
        #expect(seconds == [5])
    }
}
