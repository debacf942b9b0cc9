import SessionTestSupport
import TestSupport
import Testing

/// Tests that a plugin that breaks a rule or fails is reported, and that the session ends or
/// continues as configured.
@Suite(.ownThreads) struct FailureTests {
    /// Expects that one step failed, with a status and words of its text.
    private func expectFailure(
        of role: String, _ step: String, _ status: String, _ words: [String], _ run: Finished,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let failures = try run.events("step-failed", of: role)
        #expect(
            failures.map(\.step) == [step] && failures.map(\.status) == [status], "\(run.text)",
            sourceLocation: sourceLocation)
        for word in words {
            #expect(
                failures.first?.text?.contains(word) == true,
                "says nothing of \(word):\n\(run.text)",
                sourceLocation: sourceLocation)
        }
    }

    /// Expects that the session continued without a plugin.
    private func expectDropped(
        _ role: String, _ run: Finished, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let dropped = try run.events("plugin-dropped", of: role)
        #expect(dropped.count == 1, "\(run.text)", sourceLocation: sourceLocation)
    }

    // MARK: - Instances

    @Test(arguments: InstanceFault.all)
    func `an instance that breaks a rule is refused, and ends the session`(fault: InstanceFault)
        throws
    {
        let camera = FileSession.library(try TestPlugins.malformed(fault.name))
        let session = try FileSession("camera: \(camera)")
        let run = try session.run("--json")
        #expect(run.exit == .code(65), "\(run)")
        try expectFailure(
            of: "camera", "create", "BAD_ARGUMENT", ["Malformed: "] + fault.words, run)
        #expect(!session.folder.has("recording"), "nothing was recorded")
        #expect(try run.events.last?.summary?.contains { $0.contains("recorded") } != true)
    }

    @Test(arguments: [
        ("FILTER_WITHOUT_EXTENSION", "without the extension greenroom.pre-processor/1"),
        ("SHORT_EXTENSION", "struct_size is too small"), ("EMPTY_EXTENSION", "NULL function"),
    ])
    func `a filter that breaks a rule ends the session, whatever its failure policy says`(
        fault: String, words: String
    ) throws {
        let filter = FileSession.library(try TestPlugins.malformed(fault), "", "on-failure: off")
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera", "", "pre-processors: [\(filter)]"))")
        let run = try session.run("--json")
        #expect(run.exit == .code(65), "\(run)")
        try expectFailure(of: "camera.pre-processors[0]", "create", "BAD_ARGUMENT", [words], run)
    }

    // MARK: - Answers

    // What a session does then is tested in process, by `SessionTests`; here is how the command ends,
    // and what it records.

    @Test func `an answer outside the offer is refused`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Answers", "answer: counter, width: 321, height: 180, fps: 15"))
            """)
        let run = try session.run("--json")
        #expect(run.exit == .code(65), "\(run)")
        try expectFailure(
            of: "camera", "initialize", "BAD_ANSWER",
            ["321x180@15", "not in the offer (320x180@15, 212x160@15)"], run)
        #expect(!session.folder.has("recording"), "nothing was recorded")
    }

    @Test func `an empty answer ends the session, whatever the failure policy says`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("AnswersNothing", "", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """)
        let run = try session.run("--json")
        #expect(run.exit == .code(65), "\(run)")
        try expectFailure(of: "camera", "initialize", "BAD_ANSWER", [], run)
        #expect(!session.folder.has("recording"), "nothing was recorded")
    }

    // MARK: - Callbacks that fail

    static let places = ["create", "initialize", "start-send"]

    @Test(arguments: places)
    func `a failed callback ends the session with its reason`(place: String) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Fails", "where: \(place), text: no lens"))
            share: \(try FileSession.hostile("Share"))
            """, duration: nil)
        let run = try session.run("--json")
        #expect(run.exit == .code(69), "\(run)")
        try expectFailure(of: "camera", place, "UNAVAILABLE", ["no lens"], run)
        if place == "start-send" {
            let report = try session.expectTrueReport(run)
            #expect(report.outcome == "plugin-failed" && report.failedPlugin == "camera")
        } else {
            #expect(!session.folder.has("recording"), "nothing was recorded")
        }
    }

    @Test(arguments: places)
    func `a session continues without a plugin whose callback failed`(place: String) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Fails", "where: \(place), text: no lens", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "400ms", clock: "virtual")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        try expectFailure(of: "camera", place, "UNAVAILABLE", ["no lens"], run)
        try expectDropped("camera", run)
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "finished" && report.failedPlugin == nil)
        let callbacks = try report.plugin("camera").callbacks
        // Every initialized instance is uninitialized once, every created one destroyed once.
        #expect(callbacks["uninitialize"]?.calls == (place == "start-send" ? 1 : nil), "\(run)")
        #expect(callbacks["destroy"]?.calls == (place == "create" ? nil : 1), "\(run)")
        #expect(callbacks["stop-send"] == nil, "\(run)")
        try session.expectUnharmed("share", run)
    }

    // MARK: - Giving up

    @Test func `a plugin that gives up ends the session`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("GivesUp", "frames: 15"))
            share: \(try FileSession.hostile("Share"))
            """, duration: nil)
        let run = try session.run("--json")
        #expect(run.exit == .code(69), "\(run)")
        let reasons = try run.events("plugin-gave-up", of: "camera")
        #expect(reasons.map(\.status) == ["UNAVAILABLE"], "the first reason counts")
        #expect(reasons.map(\.text) == ["the camera was unplugged"])
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "plugin-failed" && report.failedPlugin == "camera")
        #expect(
            try report.plugin("camera").gaveUp == "UNAVAILABLE: the camera was unplugged")
        #expect(try report.picture("camera").accepted == 15)
        try session.expectUnharmed("share", run)
    }
}
