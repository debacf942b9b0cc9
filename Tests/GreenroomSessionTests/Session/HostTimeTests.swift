import Foundation
import GreenroomMedia
import GreenroomModel
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomRuntime
@testable import GreenroomSession

/// Sessions whose deadlines are on a clock of the test's: they pass when the test says so.
@Suite(.timeLimit(.minutes(1))) struct HostTimeTests {
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
}
