import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension HangTests {
    @Test(arguments: ["create", "initialize", "start-send"])
    func `a plugin that hangs before it sends is reported, and the session continues`(place: String)
        throws
    {
        // Without a duration: the report must come while the session runs.
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Hang", "where: \(place)", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: nil, deadline: "500ms")
        let child = try session.start()
        let named = "camera: \(place) has not returned after "
        #expect(child.waitForErrors(containing: named))
        let goesOn = "camera: the session continues without it\n"
        #expect(child.waitForErrors(containing: goesOn))
        #expect(child.waitForErrors(containing: "share: status good-frame 0"))
        usleep(200_000)
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        let report = try session.expectTrueReport(run)
        let plugin = try report.plugin("camera")
        #expect(plugin.state == "faulted" && plugin.fault == "hangs in \(place)")
        try session.expectUnharmed("share", run)
    }

    @Test func `an isolated pump that ignores a stop is shown again after a start`()
        throws
    {
        let camera = try FileSession.hostile("PumpInStart", "deaf: 1", "isolation: process")
        let session = try FileSession(
            "camera: \(camera)", duration: "4s", deadline: "500ms",
            timeline: ["at: 300ms, do: stop camera", "at: 500ms, do: start camera"])
        let run = try session.run()
        let report = try session.expectTrueReport(run)
        let output = try report.picture("camera").outputs[0]
        #expect(output.black > 0 && output.black < output.delivered, "\(run)")
    }
}
