import Testing
import TestSupport

/// Tests that a plugin that breaks a rule or fails is reported, and that the session ends or
/// continues as configured.
@Suite(.ownThreads) struct FailureTests {
    /// A failure, and the text of its report.
    struct Fault: CustomTestStringConvertible {
        var name: String
        var words: [String]
        var testDescription: String { name }

        init(_ name: String, _ words: String...) {
            self.name = name
            self.words = words
        }
    }

    // MARK: - Instances

    static let instanceFaults = [
        Fault("NO_INSTANCE", "create left *plugin NULL"),
        Fault("SHORT_INSTANCE", "struct_size is 48", "sizeof(gr_plugin)"),
        Fault("NULL_DESTROY", "destroy is NULL"),
        Fault("NULL_INITIALIZE", "initialize is NULL"),
        Fault("NULL_START_SEND", "start_send is NULL"),
        Fault("NULL_STOP_SEND", "stop_send is NULL"),
        Fault("NULL_UNINITIALIZE", "uninitialize is NULL"),
        Fault("LIVE_WITHOUT_EXTENSION", "greenroom.live-parameters/1"),
    ]

    @Test(arguments: instanceFaults)
    func `an instance that breaks a rule is refused, and ends the session`(fault: Fault) throws {
        let camera = TestSession.library(try TestPlugins.malformed(fault.name))
        let session = try TestSession("camera: \(camera)")
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        for word in ["camera: create failed (BAD_ARGUMENT): Malformed: "] + fault.words {
            #expect(run.standardError.contains(word), "says nothing of \(word):\n\(run)")
        }
        #expect(!session.folder.has("recording"), "nothing was recorded")
        #expect(!run.standardError.contains("recorded in"), "\(run)")
    }

    @Test func `a session can continue without instances that break rules`() throws {
        let filters = try ["FILTER_WITHOUT_EXTENSION", "SHORT_EXTENSION", "EMPTY_EXTENSION"].map {
            TestSession.library(try TestPlugins.malformed($0), "", "on-failure: off")
        }
        let more = "pre-processors: [\(filters.joined(separator: ", "))]"
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera", "", more))", duration: "400ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        for (index, words) in [
            "no extension greenroom.pre-processor/1", "struct_size that is too small",
            "NULL function",
        ].enumerated() {
            let role = "camera.pre-processors[\(index)]"
            let lines = run.lines(of: role)
            #expect(lines.contains("create failed (BAD_ARGUMENT)"), "\(run)")
            #expect(lines.contains(words), "\(run)")
            #expect(lines.contains("the session continues without it"), "\(run)")
            #expect(try session.report().plugin(role).state == "faulted")
        }
        try session.expectTrueReport(run)
        try session.expectUnharmed("camera", run)
    }

    // MARK: - Answers

    // `SessionTests` tests the session's reactions in process; these test the output and the exit
    // code.

    @Test func `an answer outside the offer is refused`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Answers", "answer: counter, width: 321, height: 180, fps: 15"))
            """)
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        for word in [
            "camera: initialize failed (BAD_ANSWER): ", "321x180@15",
            "not in the offer (320x180@15, 212x160@15)",
        ] {
            #expect(run.standardError.contains(word), "says nothing of \(word):\n\(run)")
        }
    }

    @Test func `an empty answer is refused, and the session continues with the others`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("AnswersNothing", "", "on-failure: off"))
            share: \(try TestSession.hostile("Share"))
            """, duration: "400ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("camera: initialize failed (BAD_ANSWER): "), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").state == "destroyed")
        #expect(report.pictures.map(\.track) == ["share"])
        try session.expectUnharmed("share", run)
    }

    @Test func `answers within the offer are followed`() throws {
        // A smaller row, and a custom size, which a share may have.
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Answers", "answer: counter, width: 212, height: 160, fps: 5"))
            share: \(try TestSession.hostile(
                "ShareAnswers", "answer: counter, width: 111, height: 67, fps: 10"))
            """, duration: "600ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").offer?.answer == "counter")
        #expect(try report.plugin("camera").offer?.track == "212x160@5")
        let camera = try session.picture("camera")
        #expect(camera.width == 212 && camera.height == 160 && camera.frameCount == 3)
        let share = try session.picture("share")
        #expect(share.width == 111 && share.height == 67 && share.frameCount == 6)
        try session.expectUnharmed("camera", run)
        try session.expectUnharmed("share", run)
    }

    @Test func `the host adapts to a fixed answer`() throws {
        // 1000x750 at 60 within 320x180 at 15: the aspect ratio stays.
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Answers", "answer: fixed, width: 1000, height: 750, fps: 60"))
            """, duration: "600ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let offer = try #require(try report.plugin("camera").offer)
        #expect(offer.source == "1000x750@60" && offer.track == "240x180@15")
        let camera = try session.picture("camera")
        #expect(camera.width == 240 && camera.height == 180 && camera.frameCount == 9)
        try session.expectUnharmed("camera", run)
        // The source is four times as fast as agreed.
        #expect(try report.picture("camera").overRate > 0)
    }

    // MARK: - Callbacks that fail

    @Test(arguments: [("initialize", "no lens"), ("start-send", "")])
    func `a failed callback ends the session with its reason`(place: String, text: String) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Fails", "where: \(place), text: '\(text)'"))
            share: \(try TestSession.hostile("Share"))
            """, duration: nil)
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        let reason = text.isEmpty ? "\(place) returned it without a reason" : text
        let line = "camera: \(place) failed (UNAVAILABLE): \(reason)\n"
        #expect(run.standardError.contains(line), "\(run)")
        if place == "start-send" {
            let report = try session.expectTrueReport(run)
            #expect(report.outcome == "plugin-failed" && report.failedPlugin == "camera")
        } else {
            #expect(!run.standardError.contains("recorded in"), "\(run)")
        }
    }

    @Test func `a session continues without a plugin whose callback failed`() throws {
        let place = "start-send"
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Fails", "where: \(place), text: no lens", "on-failure: off"))
            share: \(try TestSession.hostile("Share"))
            """, duration: "400ms")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let lines = run.lines(of: "camera")
        #expect(lines.contains("\(place) failed (UNAVAILABLE): no lens"), "\(run)")
        #expect(lines.contains("the session continues without it"), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "finished" && report.failedPlugin == nil)
        let callbacks = try report.plugin("camera").callbacks
        // Every initialized instance is uninitialized once, every created one destroyed once.
        #expect(callbacks["uninitialize"]?.calls == (place == "start-send" ? 1 : nil), "\(run)")
        #expect(callbacks["destroy"]?.calls == (place == "create" ? nil : 1), "\(run)")
        #expect(callbacks["stop-send"] == nil, "\(run)")
        try session.expectUnharmed("share", run)
    }

    @Test(arguments: [(25, "BAD_SETTING"), (-12_345, "status -12345")])
    func `every status of a plugin is reported by name`(status: Int, name: String) throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Fails", "where: start-send, status: \(status), text: no lens"))
            """)
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        #expect(
            run.standardError.contains("camera: start-send failed (\(name)): no lens\n"), "\(run)")
    }

    // MARK: - Giving up

    @Test func `a plugin that gives up ends the session`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("GivesUp", "frames: 15"))
            share: \(try TestSession.hostile("Share"))
            """, duration: nil)
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        let line = "camera: gave up (UNAVAILABLE): the camera was unplugged\n"
        #expect(run.standardError.contains(line), "\(run)")
        #expect(!run.standardError.contains("again"), "the first reason counts:\n\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "plugin-failed" && report.failedPlugin == "camera")
        #expect(
            try report.plugin("camera").gaveUp == "UNAVAILABLE: the camera was unplugged")
        #expect(try report.picture("camera").accepted == 15)
        try session.expectUnharmed("share", run)
    }

    @Test func `a session fails when all its sources have failed`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("GivesUp", "frames: 2", "on-failure: off"))",
            duration: nil)
        let run = try session.run()
        #expect(run.exit == .code(69), "\(run)")
        #expect(run.standardError.contains("stopping: every source has ended"), "\(run)")
        #expect(try session.expectTrueReport(run).outcome == "plugin-failed")
    }
}
