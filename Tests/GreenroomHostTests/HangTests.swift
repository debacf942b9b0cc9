import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that a hanging callback is reported while it hangs, and that the session ends although the
/// callback never returns.
@Suite(.ownThreads) struct HangTests {
    /// Expects that hanging callbacks of a plugin were reported, each once.
    private func expectNamed(
        _ steps: [String], of role: String, _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let named = try run.events("callback-hangs", of: role).map(\.step)
        #expect(named == steps, "\(run.text)", sourceLocation: sourceLocation)
    }

    /// Expects that the session continued without a plugin.
    private func expectDropped(
        _ role: String, _ run: Finished, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let dropped = try run.events("plugin-dropped", of: role)
        #expect(dropped.count == 1, "\(run.text)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["create", "initialize", "start-send"])
    func `a plugin that hangs before it sends ends the session`(place: String) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Hang", "where: \(place)"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "1s", clock: "virtual")
        let run = try session.run("--json", deadlines: .allPass)
        #expect(run.exit == .code(69), "\(run)")
        try expectNamed([place], of: "camera", run)
    }

    @Test(arguments: ["stop-send", "uninitialize", "destroy"])
    func `a plugin that hangs at the end is reported, and the recordings are complete`(
        place: String
    )
        throws
    {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Hang", "where: \(place)"))", duration: "2s",
            clock: "virtual")
        let run = try session.run("--json", deadlines: .allPass)
        try expectNamed([place], of: "camera", run)
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").state == "faulted")
        try session.expectUnharmed("camera", run)
        #expect(try session.picture("camera").frameCount == 30)
    }

    @Test(.nightly, arguments: ["stop-send", "uninitialize", "destroy"])
    func `recordings of the other tracks are complete when a plugin hangs at the end`(place: String)
        throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Hang", "where: \(place)"))
            share: \(try FileSession.hostile("Share"))
            microphone: \(try FileSession.hostile("Mic"))
            """, duration: "2s", deadline: "2s")
        let run = try session.run("--json")
        try expectNamed([place], of: "camera", run)
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("share").state == "destroyed")
        try session.expectUnharmed("share", run)
        #expect(try session.picture("share").frameCount == 30)
        #expect(try session.sound("camera").frameCount == 96_000)
    }

    @Test(.nightly) func `plugins that hang together share one deadline`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Hang", "where: stop-send"))
            share: \(try FileSession.hostile("HangShare", "where: stop-send"))
            microphone: \(try FileSession.hostile("HangMic", "where: stop-send"))
            """, duration: "300ms", deadline: "6s")
        let run = try session.run("--json")
        for role in ["camera", "share", "microphone"] {
            try expectNamed(["stop-send"], of: role, run)
        }
        // In sequence they would take 18 s.
        #expect(run.duration < .seconds(15), "\(run)")
        try session.expectTrueReport(run)
    }

    @Test func `a plugin that fails and then hangs is reported`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("FailsThenHangs", "", "on-failure: off"))",
            duration: "2s", clock: "virtual")
        let run = try session.run("--json", deadlines: .allPass)
        #expect(run.exit == .code(69), "\(run)")
        let failure = try #require(try run.events("step-failed", of: "camera").first)
        #expect(failure.step == "start-send" && failure.text == "no light", "\(run.text)")
        try expectNamed(["uninitialize"], of: "camera", run)
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").fault == "hangs in uninitialize")
    }

    // MARK: - Pumps in start-send

    @Test(.nightly, arguments: [false, true])
    func `a pump inside start-send is recorded, reported once, and stopped on time`(isDeaf: Bool)
        throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("PumpInStart", "deaf: \(isDeaf ? 1 : 0)"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "2400ms", deadline: "1s")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let told = try run.events("note", of: "camera").filter {
            $0.text?.contains("sends from inside start-send") == true
        }
        #expect(told.count == 1, "\(run.text)")
        let events = try run.events
        let naming = try #require(
            events.firstIndex { $0.event == "callback-hangs" && $0.step == "start-send" })
        let stopping = try #require(events.firstIndex { $0.event == "stopping" })
        #expect(naming < stopping, "named while it hangs:\n\(run.text)")
        let report = try session.expectTrueReport(run)
        let plugin = try report.plugin("camera")
        #expect(plugin.state == (isDeaf ? "faulted" : "destroyed"), "\(run)")
        try session.expectUnharmed("camera", run)
        try session.expectUnharmed("share", run)
        #expect(try session.picture("camera").frameCount == 36, "\(run)")
        #expect(try session.picture("share").frameCount == 36, "\(run)")
        // It sends at twice the recording's rate, so half of its frames suffice.
        #expect(try report.picture("camera").outputs[0].delivered >= 18, "\(run)")
    }

    @Test(.nightly) func `a pump inside start-send that returns an error drops the plugin`() throws
    {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "PumpsThenFails", "frames: 12", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "1s")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let failure = try #require(try run.events("step-failed", of: "camera").first)
        #expect(failure.step == "start-send" && failure.text == "the film is over", "\(run.text)")
        try expectDropped("camera", run)
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").callbacks["destroy"]?.calls == 1, "\(run)")
        try session.expectUnharmed("camera", run)
        #expect(try session.picture("camera").frameCount == 15, "the last frame stays")
        try session.expectUnharmed("share", run)
    }

    @Test(.nightly)
    func `a microphone that is paced inside start-send is recorded, and stopped on time`()
        throws
    {
        // It sends ten seconds.
        let session = try FileSession(
            "microphone: \(try FileSession.hostile("PatientMic"))", duration: "3s",
            deadline: "500ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let stopped = try #require(run.answers(to: "ten-seconds-at-once").first, "\(run)")
        #expect(stopped.status == 2, "stop-send ends the wait:\n\(run)")
        let report = try session.expectTrueReport(run)
        #expect(try session.sound("camera").frameCount == 144_000)
        #expect(try report.sound("microphone").played > 0)
    }

    @Test func `a plugin that gives up and then hangs is waited for once`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("GiveUpThenHang", "", "on-failure: off"))",
            duration: "2s", clock: "virtual")
        let run = try session.run("--json", deadlines: .allPass)
        #expect(run.exit == .code(69), "\(run)")
        #expect(try run.events("callback-hangs", of: "camera").count == 1, "\(run.text)")
        try session.expectTrueReport(run)
    }

    // MARK: - Filters

    private func withHangingFilter(_ policy: String, duration: String?) throws -> FileSession {
        let hanging = try FileSession.hostile(
            "FilterHangs", "frames: 3", "on-failure: \(policy)")
        let invert = try FileSession.hostile("Invert")
        return try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Camera", "", "pre-processors: [\(hanging), \(invert)]"))
            """, duration: duration, clock: "virtual")
    }

    @Test func `video continues without a filter that hangs`() throws {
        let session = try withHangingFilter("off", duration: "3s")
        let run = try session.run("--json", deadlines: .onePasses)
        #expect(run.exit == .code(0), "\(run)")
        try expectNamed(["process"], of: "camera.pre-processors[0]", run)
        try expectDropped("camera.pre-processors[0]", run)
        let report = try session.expectTrueReport(run)
        let picture = try report.picture("camera")
        #expect(picture.outputs[0].delivered > 6, "there are frames after it:\n\(run)")
        #expect(try report.plugin("camera.pre-processors[0]").fault == "hangs in process")
        #expect(try report.plugin("camera.pre-processors[1]").state == "destroyed")
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 45, "3 s at 15 fps")
        // The filter after it edits the frames before and after.
        let upright = Quarters().expected[0]
        for index in [0, recording.frameCount - 1] {
            #expect(abs(try recording.frame(index)[0, 0].y - (255 - upright.y)) <= 2)
        }
    }

    @Test func `a filter that hangs ends the session`() throws {
        let session = try withHangingFilter("end", duration: "3s")
        let run = try session.run("--json", deadlines: .onePasses)
        #expect(run.exit == .code(69), "\(run)")
        try expectNamed(["process"], of: "camera.pre-processors[0]", run)
        let report = try session.expectTrueReport(run)
        #expect(report.failedPlugin == "camera.pre-processors[0]")
    }
}
