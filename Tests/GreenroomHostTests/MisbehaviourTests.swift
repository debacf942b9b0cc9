import SessionTestSupport
import TestSupport
import Testing

/// Tests that plugins that are too fast, silent or slow affect only themselves.
@Suite(.ownThreads) struct MisbehaviourTests {
    private func run(
        camera name: String, _ settings: String = "", _ more: String = "",
        duration: String = "3s", exit: Int32 = 0, clock: String? = nil
    ) throws -> (session: FileSession, run: Finished, report: Report) {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile(name, settings, more))
            share: \(try FileSession.hostile("Share"))
            """, duration: duration, clock: clock)
        let run = try session.run()
        #expect(run.exit == .code(exit), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.plugins.allSatisfy { $0.state == "destroyed" }, "\(run)")
        try session.expectUnharmed("share", run)
        return (session, run, report)
    }

    @Test func `four threads may send at once, as fast as they can`() throws {
        let (session, run, report) = try run(camera: "Crowd")
        #expect(run.answers(to: "crowd-end").map(\.status) == [2, 2, 2, 2], "\(run)")
        let picture = try report.picture("camera")
        // Excess frames are superseded or lack a buffer.
        #expect(picture.sent > 100 && picture.superseded + picture.overRate > 0)
        let reasons = Set(picture.refused.keys).union(picture.refusedCalls.keys)
        #expect(reasons.isSubset(of: ["NO_BUFFER", "STOPPED"]), "\(reasons)")
        #expect(try session.picture("camera").frameCount == 45)
    }

    @Test func `leases that are never returned cost only their plugin`() throws {
        let (session, run, report) = try run(camera: "LeaseLeak")
        let picture = try report.picture("camera")
        #expect(picture.refusedCalls == ["NO_BUFFER": 1])
        // It can still send from its own memory.
        #expect(picture.accepted > 0)
        try session.expectUnharmed("camera", run)
        #expect(try session.picture("camera").frameCount == 45)
    }

    @Test func `a source that never sends gives a black recording`() throws {
        let (session, run, report) = try run(
            camera: "Silent", duration: "600ms", exit: 66)
        #expect(report.outcome == "not-real" && report.notReal == ["camera"])
        let account = try report.picture("camera").account
        #expect(account.missing == 9 && account.realPercent == 0, "\(account)")
        #expect(try report.picture("camera").sent == 0)
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 9, "\(run)")
        let frame = try recording.frame(8)
        #expect(frame[0, 0] == YUV(y: 16, u: 128, v: 128), "\(frame[0, 0])")
        #expect(run.standardError.contains("no frame was shown: the output is black"), "\(run)")
    }

    @Test func `a frame refused by a filter continues unedited`() throws {
        let filter = try FileSession.hostile("FilterFails")
        let (session, run, report) = try run(
            camera: "Camera", "", "pre-processors: [\(filter)]", clock: "virtual")
        try session.expectUnharmed("camera", run)
        let calls = try report.plugin("camera.pre-processors[0]").callbacks["process"]?.calls ?? 0
        #expect(calls > 3)
        #expect(try report.picture("camera").unprocessed.refused == calls / 2, "every second frame")
    }

    @Test func `a frame that a required filter refuses is not shown`() throws {
        let filter = try FileSession.hostile("FilterFails", "", "required: true")
        let (session, run, report) = try run(
            camera: "Camera", "", "pre-processors: [\(filter)]", clock: "virtual")
        try session.expectUnharmed("camera", run)
        let picture = try report.picture("camera")
        let calls = try report.plugin("camera.pre-processors[0]").callbacks["process"]?.calls ?? 0
        #expect(calls > 3 && picture.withheld == calls / 2 && picture.unedited == 0, "\(run)")
        #expect(run.standardError.contains("unedited frames are hidden"), "\(run)")
    }

    @Test func `a filter can't change a frame's description`() throws {
        let filters = try ["FilterScribbles", "Invert", "FilterScribbles", "Invert"].map {
            try FileSession.hostile($0)
        }
        let (session, run, report) = try run(
            camera: "Camera", "format: nv12",
            "pre-processors: [\(filters.joined(separator: ", "))]", clock: "virtual")
        #expect(try report.picture("camera").unprocessed.total == 0)
        try session.expectUnharmed("camera", run)
    }

    @Test func `session time starts when every source has started`() throws {
        // A second in start-send, while the share sends: of the newest frames, which are kept, the
        // first shows when the session begins, and the others are in excess.
        let (session, run, report) = try run(camera: "SlowStart", duration: "2s")
        #expect(try session.picture("camera").frameCount == 30, "\(run)")
        #expect(try session.picture("share").frameCount == 30, "\(run)")
        let picture = try report.picture("share")
        let share = picture.outputs[0]
        #expect(picture.superseded + picture.overRate > 4, "\(picture)")
        #expect(picture.overRate > 0 && share.beforeStart == 0)
        #expect(try report.picture("camera").outputs[0].delivered > 4, "\(run)")
    }

    @Test func `a plugin's wait inside start-send returns`() throws {
        let (session, run, _) = try run(camera: "WaitInCallback")
        #expect(run.answers(to: "wait-in-callback").count == 1, "\(run)")
        try session.expectUnharmed("camera", run)
    }

    // MARK: - Plugins that talk

    /// The log lines of a camera.
    private func chatter(_ kind: String) throws -> [String] {
        // The limit of a second counts in real time.
        let (_, run, _) = try run(
            camera: "Chatter", "chatter: \(kind)", clock: kind == "flood" ? nil : "virtual")
        // No control characters reach the terminal, and only the host writes lines.
        for scalar in run.standardError.unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control, "\(run)")
        }
        let starts = [
            "camera: ", "share: ", "track ", "sending", "stopping: ", "recording of ",
            "recorded in ",
        ]
        let lines = run.standardError.split(separator: "\n").map(String.init)
        for line in lines {
            #expect(starts.contains { line.hasPrefix($0) }, "whose line is this: \(line)")
        }
        return lines.filter { $0.hasPrefix("camera: ") }
    }

    @Test func `a flood of lines is truncated`() throws {
        let lines = try chatter("flood").filter { $0.contains("camera: line ") }
        // A hundred a second; the flood may begin at the end of a second.
        #expect(lines.count >= 100 && lines.count <= 600, "\(lines.count)")
    }

    @Test func `a long line is truncated`() throws {
        let lines = try chatter("long")
        #expect(lines.contains { $0.contains("xxxx") })
        #expect(lines.allSatisfy { $0.utf8.count < 5000 })
    }

    @Test func `invalid UTF-8 in a log line is repaired`() throws {
        let lines = try chatter("not-utf8")
        #expect(lines.contains { $0.hasPrefix("camera: begin \u{FFFD}") && $0.hasSuffix(" end") })
    }

    @Test func `a plugin's text can neither forge a log line nor control the terminal`() throws {
        let lines = try chatter("lines")
        #expect(lines.contains { $0.hasPrefix("camera: first status forged 0 line") })
    }

    @Test func `log lines with an unknown level or without a text are harmless`() throws {
        let lines = try chatter("level")
        for text in ["camera: level zero", "camera: level 77", "camera: that was all"] {
            #expect(lines.contains(text), "\(lines)")
        }
    }
}
