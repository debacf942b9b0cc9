import GreenroomModel
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo
import TestSupport
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomSession

/// Start-sends that hang, and those that send from inside, when a plugin is stopped and started.
@Suite(.ownThreads) struct StartTests {
    /// A session whose camera is stopped after 400 ms and started again at 600 ms.
    private func session(
        _ camera: FakeSource, _ onFailure: FailurePolicy = .end, milliseconds: Int64 = 2000
    ) throws -> InProcessSession {
        var session = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: onFailure),
            share: FakeSource().plan(.shareSource), milliseconds: milliseconds)
        session.plan.configuration.callbackDeadline = .seconds(1)
        session.stopCamera(milliseconds: 400, until: 600)
        return session
    }

    @Test(arguments: [nil, FakeSource.Loop.heedful(returnsStatus: false)])
    func `a plugin whose second start-send hangs is given up`(
        loop: FakeSource.Loop?
    ) throws {
        let camera = FakeSource(.init(loop: loop, hangingStart: 2))
        let result = try session(camera).run()
        // On a busy machine the loop of the first one is reported as well, and rightly.
        let reports = loop == nil ? 1...1 : 1...2
        #expect(reports.contains(result.hangs.count), "\(result.hangs)")
        #expect(result.hangs.allSatisfy { $0 == "camera: start-send" })
        #expect(result.notes("camera").count == result.hangs.count - 1)
        #expect(result.plugin("camera")?.fault == "hangs in start-send")
        #expect(result.report.outcome == .pluginFailed && result.report.failedPlugin == "camera")
        #expect(try #require(result.picture("camera")).accepted > 0)
    }

    @Test func `a session continues without a plugin whose second start-send hangs`() throws {
        let camera = FakeSource(.init(hangingStart: 2))
        let result = try session(camera, .off).run()
        #expect(result.hangs == ["camera: start-send"] && result.dropped == ["camera"])
        #expect(result.report.outcome == .finished)
        let output = try #require(result.picture("camera")?.outputs.first)
        // A second after it was lost, the slate says so.
        #expect(output.black == 17 && output.slate == 6, "\(output)")
    }

    @Test func `a plugin whose second life hangs in start-send sends in its third life`()
        throws
    {
        let camera = FakeSource(.init(frames: 5, hangingStart: 2))
        var session = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .restart), milliseconds: 3000)
        session.plan.configuration.callbackDeadline = .seconds(1)
        let result = try session.run()
        #expect(result.hangs == ["camera: start-send"])
        #expect(try #require(camera.calls["start-send"]) >= 3)
        #expect(try #require(result.picture("camera")).accepted >= 10)
    }

    @Test func `a plugin without a process ends the start at once, with the fix`() throws {
        let problem = "can't make shared memory: Cannot allocate memory. Raise ulimit -v"
        let camera = FakeSource(.init(processProblem: problem))
        let result = try session(camera, .restart).run()
        #expect(camera.calls["create"] == 1)
        #expect(result.failures == ["camera: create \(Status.unavailable): \(problem)"])
        #expect(result.report.outcome == .pluginFailed && result.report.failedPlugin == "camera")
    }

    @Test func `an access that the sandbox refuses in each life is reported once`() throws {
        let camera = FakeSource(.init(refusal: "denied: read /etc/group", frames: 5))
        let result = try InProcessSession(
            camera: camera.plan(.videoSource, onFailure: .restart), milliseconds: 3000
        ).run()
        #expect(try #require(camera.calls["create"]) >= 2)
        let texts = result.events.compactMap { event -> String? in
            if case .pluginLog("camera", .warning, let text) = event { text } else { nil }
        }
        #expect(texts == ["denied: read /etc/group"])
    }

    @Test(arguments: [false, true])
    func `a loop inside start-send ends with a stop, and begins again with a start`(
        returnsStatus: Bool
    ) throws {
        let camera = FakeSource(.init(loop: .heedful(returnsStatus: returnsStatus)))
        let result = try session(camera).run()
        #expect(result.failures.isEmpty && result.report.outcome == .finished)
        #expect(camera.calls["start-send"] == 2 && camera.calls["stop-send"] == 2)
        let output = try #require(result.picture("camera")?.outputs.first)
        #expect(output.black == 2 && output.delivered == 28, "\(output)")
    }

    @Test func `a loop inside start-send that ignores a stop is shown again after a start`() throws
    {
        let camera = FakeSource(.init(loop: .deaf))
        var session = try session(camera, .off)
        // It does not wait while it is stopped: a virtual clock would stand still.
        session.plan.configuration.clock = .real
        let result = try session.run()
        #expect(camera.calls["start-send"] == 1)
        let output = try #require(result.picture("camera")?.outputs.first)
        #expect(output.black > 0 && output.black < output.delivered, "\(output)")
        let notes = result.notes("camera").filter { $0.contains("sends from inside start-send") }
        #expect(notes.count == 1, "\(result.notes("camera"))")
        // It hangs at the end, and is named once for that.
        #expect(result.hangs == ["camera: start-send", "camera: start-send"])
        #expect(result.plugin("camera")?.state == .faulted)
    }
}
