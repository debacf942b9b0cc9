import GreenroomMedia
import GreenroomModel
import TestSupport
import Testing

@testable import GreenroomSession

/// Plugins that wait in a callback for their own thread, which waits on the session clock.
@Suite(.ownThreads) struct OwnThreadTests {
    private func run(share: FakeSource?) throws -> (InProcessSession.Result, camera: FakeSource) {
        let camera = FakeSource(.init(follows: true, restartsItself: true))
        var session = try InProcessSession(
            camera: camera.plan(.videoSource), share: share?.plan(.shareSource),
            milliseconds: 3000)
        session.plan.configuration.callbackDeadline = .seconds(20)
        session.plan.configuration.timeline = [
            TimelineEntry(
                time: .seconds(1),
                command: .ceiling(.camera, VideoCapability(width: 212, height: 160, fps: 15)),
                origin: "test")
        ]
        return (try session.run(), camera)
    }

    @Test func `a pump that restarts in property-change continues on the virtual clock`()
        throws
    {
        let (result, camera) = try run(share: nil)
        #expect(camera.calls["property-change"] == 1)
        #expect(result.hangs.isEmpty && result.failures.isEmpty, "\(result.events)")
        #expect(result.report.outcome == .finished)
        let picture = try #require(result.picture("camera"))
        // One frame at most is lost between its threads.
        #expect(picture.accepted >= 43 && picture.account.realPercent ?? 0 >= 95, "\(picture)")
        #expect(result.notes("camera").allSatisfy { !$0.contains("virtual clock") })
    }

    @Test func `a pump's restart costs other sources no frame, and every run is the same`() throws {
        let runs = try (0..<2).map { _ in try run(share: FakeSource()).0 }
        for result in runs {
            #expect(result.picture("share")?.account.real == 45)
            #expect(result.hangs.isEmpty)
        }
        for file in ["camera.y4m", "share.y4m"] {
            let recordings = try runs.map { try readFile("\($0.recording)/\(file)") }
            #expect(recordings[0] == recordings[1], "\(file)")
        }
    }
}
