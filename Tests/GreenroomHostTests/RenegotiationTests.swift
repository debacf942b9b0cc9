import SessionTestSupport
import TestSupport
import Testing

/// Tests changes of the agreement while a session runs, which viewers see only as lower quality.
@Suite(.ownThreads) struct RenegotiationTests {
    private static let table = "[320x180@30, 160x90@30, 80x46@30]"

    /// Runs a numbering camera on the virtual clock.
    private func run(
        _ name: String, _ settings: String = "", more: String = "", duration: Int,
        timeline: [String]
    ) throws -> (session: FileSession, run: Finished, report: Report, marks: [MarkedFrame]) {
        let session = try FileSession(
            "camera: \(try FileSession.hostile(name, settings, more))", maximum: "320x180@30",
            duration: "\(duration)s", deadline: "500ms", clock: "virtual", table: Self.table,
            timeline: timeline)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let recording = try session.picture("camera")
        // The recording keeps the first agreement.
        #expect(recording.width == 320 && recording.height == 180, "\(run)")
        #expect(recording.framesPerSecond == 30)
        let marks = try recording.marks()
        #expect(marks.count == duration * 30, "no gap and no frame too many:\n\(run)")
        #expect(marks.allSatisfy { $0 != nil }, "none is black, or of another size:\n\(run)")
        return (session, run, report, marks.compactMap(\.self))
    }

    /// Expects that a source's frames are in order: all of them, or every second one where the rate
    /// was halved.
    private func expectWhole(
        _ marks: some Sequence<MarkedFrame>, steps: ClosedRange<Int> = 1...1,
        periods: ClosedRange<Int> = 1...1, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let cadence = Cadence(marks)
        #expect(
            cadence.steps.allSatisfy(steps.contains), "\(cadence)", sourceLocation: sourceLocation)
        #expect(
            cadence.periods.dropFirst().dropLast().allSatisfy(periods.contains), "\(cadence)",
            sourceLocation: sourceLocation)
    }

    // MARK: - Plugins that follow

    @Test func `a camera that follows offers falls at once and rises after three seconds`()
        throws
    {
        let (_, run, report, marks) = try run(
            "Follows", duration: 7,
            timeline: ["at: 1s, ceiling: 160x90@15", "at: 2s, ceiling: none"])
        let records = try report.picture("camera").negotiation
        try #require(records.count == 3, "\(records)\n\(run)")
        #expect(records.map(\.reason) == ["initial", "ceiling-lowered", "ceiling-raised"])
        #expect(records.map(\.suggested) == ["320x180@30", "160x90@15", "320x180@30"])
        #expect(records.map(\.answer) == ["accept", "accept", "accept"])
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.revision < $1.revision })
        // Lower immediately; higher after the ceiling has been gone for three seconds.
        #expect(records[1].seconds >= 1 && records[1].seconds < 1.05, "\(records)")
        #expect(records[2].seconds >= 5 && records[2].seconds < 5.25, "\(records)")
        // The next frame has the new row.
        #expect(records[1].framesUntilFollowed.map { $0 <= 1 } == true, "\(records)")
        #expect(records[2].framesUntilFollowed.map { $0 <= 1 } == true, "\(records)")

        // The frames confirm it: those of the new revision start at the ceiling, scaled up, each
        // twice; no old one follows a new one.
        let revisions = records.map(\.revision)
        let starts = revisions.map { revision in marks.firstIndex { $0.revision == revision } }
        #expect(starts[0] == 0)
        #expect(starts[1].map { (30...32).contains($0) } == true, "\(starts)")
        #expect(starts[2].map { (150...158).contains($0) } == true, "\(starts)")
        #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.revision <= $1.revision })
        for mark in marks { #expect(mark.isSharp == (mark.revision != revisions[1])) }
        expectWhole(marks.filter { $0.revision == revisions[0] })
        expectWhole(marks.filter { $0.revision == revisions[1] }, periods: 2...2)
        expectWhole(marks.filter { $0.revision == revisions[2] })
        expectWhole(marks, periods: 1...3)
    }

    @Test func `the last of several changes of a ceiling applies`() throws {
        let (_, run, report, marks) = try run(
            "Follows", duration: 3,
            timeline: [
                "at: 1s, ceiling: 160x90@30", "at: 1s, ceiling: 80x46@30",
                "at: 1010ms, ceiling: 160x90@10", "at: 1020ms, ceiling: 160x90@15",
            ])
        let records = try report.picture("camera").negotiation
        let last = try #require(records.last)
        // 15 takes longer to rise than 10 took to fall: it waits for its time.
        #expect(records.contains { $0.suggested == "160x90@10" || $0.suggested == "80x46@10" })
        #expect(last.seconds < 3, "\(records)")
        #expect(records.count <= 5, "one step at a time, and no more than there were:\n\(run)")
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.revision < $1.revision })
        #expect(marks.last?.revision == last.revision, "\(records)")
    }

    @Test func `a rise that is undone within the hold makes no offer`() throws {
        let (_, run, report, _) = try run(
            "Follows", duration: 8,
            timeline: [
                "at: 1s, ceiling: 160x90@30", "at: 2s, ceiling: none",
                "at: 4s, ceiling: 160x90@30",
            ])
        let records = try report.picture("camera").negotiation
        #expect(records.map(\.suggested) == ["320x180@30", "160x90@30"], "\(records)\n\(run)")
    }

    @Test
    func `frames of an old revision are shown, and count as stale after the grace time`() throws {
        let (_, run, report, marks) = try run(
            "FollowsLate", "frames: 90", duration: 6,
            timeline: ["at: 1s, ceiling: 160x90@30"])
        let picture = try report.picture("camera")
        let record = try #require(picture.negotiation.last)
        #expect(record.framesUntilFollowed.map { (90...91).contains($0) } == true, "\(record)")
        // Three seconds of old frames, minus the second of grace.
        #expect((59...61).contains(picture.staleRevision), "\(picture)\n\(run)")
        // They are shown, scaled down by the host.
        expectWhole(marks)
        for mark in marks.dropFirst(32) { #expect(!mark.isSharp) }
    }

    // MARK: - Plugins that don't

    @Test(arguments: ["Steady", "CountersOutside", "RefusesChange"])
    func `a plugin that does not follow costs only scaling`(name: String) throws {
        let (_, run, report, marks) = try run(
            name, duration: 8,
            timeline: ["at: 2s, ceiling: 160x90@15", "at: 3s, ceiling: none"])
        let picture = try report.picture("camera")
        let records = picture.negotiation
        try #require(records.count == 3, "\(records)\n\(run)")
        let expected = name == "Steady" ? "ignored" : "refused"
        #expect(records.dropFirst().map(\.answer) == [expected, expected], "\(records)")
        #expect(records.dropFirst().allSatisfy { $0.framesUntilFollowed == nil }, "\(records)")
        #expect(records[1].track == "160x90@15", "the host adapts: \(records)")
        #expect(picture.refused.keys.allSatisfy { $0 == "STOPPED" }, "\(picture.refused)")

        // All sharp frames; then frames scaled down to 160x90, every second one, for four seconds;
        // then sharp again. The pixels show nothing else.
        let down = try #require(marks.firstIndex { !$0.isSharp })
        let up = try #require(marks.lastIndex { !$0.isSharp })
        #expect((60...62).contains(down) && (178...187).contains(up), "\(down), \(up)")
        #expect(marks[down...up].allSatisfy { !$0.isSharp })
        expectWhole(marks[..<down])
        expectWhole(marks[down...up], steps: 2...2, periods: 2...2)
        expectWhole(marks[(up + 1)...])
        #expect((55...65).contains(picture.overRate), "half of four seconds: \(picture.overRate)")

        // Its fault is logged with the rule and the cure.
        switch name {
        case "CountersOutside":
            #expect(run.lines(of: "camera").contains("123x45"), "\(run)")
        case "RefusesChange":
            #expect(run.lines(of: "camera").contains("the lens is glued on"), "\(run)")
        default: break
        }
    }

    @Test func `a plugin that hangs in a change is reported, and affects only itself`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("HangsInChange", "", "on-failure: off"))
            share: \(try FileSession.hostile("SteadyShare"))
            """, maximum: "160x90@30", duration: "3s", deadline: "300ms", clock: "virtual",
            table: "[160x90@30, 80x46@30]", timeline: ["at: 1s, ceiling: 80x46@30"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(run.lines(of: "camera").contains("property-change"), "\(run)")
        #expect(run.lines(of: "camera").contains("has not returned"), "\(run)")
        #expect(try session.picture("camera").frameCount == 90)
        let share = try session.picture("share").marks()
        #expect(share.count == 90 && share.allSatisfy { $0 != nil })
        #expect(Cadence(share.compactMap(\.self)).steps.allSatisfy { $0 == 1 }, "\(run)")
        #expect(try report.plugin("share").fault == nil)
    }

    @Test func `the host scales a camera with a fixed format to each ceiling`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Answers", "answer: fixed, width: 320, height: 240, fps: 30"))",
            maximum: "320x240@30", duration: "4s", clock: "virtual",
            table: "[320x240@30, 160x120@30]",
            timeline: ["at: 1s, ceiling: 160x120@15"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let picture = try session.expectTrueReport(run).picture("camera")
        let last = try #require(picture.negotiation.last)
        #expect(
            picture.negotiation.count == 2 && last.track == "160x120@15", "\(picture.negotiation)")
        #expect(last.source == "320x240@30")
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 120 && recording.width == 320)
        Quarters().expect(in: try recording.frame(119), within: 2)
    }

    // MARK: - Shares, wants, and why

    @Test func `a share follows its own ceilings`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Follows"))
            share: \(try FileSession.hostile("FollowsShare"))
            """, maximum: "320x180@30", duration: "3s", clock: "virtual", table: Self.table,
            timeline: ["at: 1s, share-ceiling: 200x100@5"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(try report.picture("camera").negotiation.count == 1)
        let records = try report.picture("share").negotiation
        // A share has no rows: any size up to the ceiling is allowed.
        #expect(records.count == 2 && records.last?.suggested.hasSuffix("@5") == true, "\(records)")
        #expect(records.last?.framesUntilFollowed.map { $0 <= 1 } == true, "\(records)")
        let marks = try session.picture("share").marks().compactMap(\.self)
        #expect(marks.count == 90)
        expectWhole(marks.dropFirst(36), periods: 6...6)
    }

    @Test func `a camera is offered no more than its outputs want`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Follows"))", maximum: "320x180@30",
            duration: "1s", clock: "virtual", table: Self.table,
            outputs: """
                [
                  { record: { folder: recording, size: 160x90, fps: 15 } },
                  { record: { folder: small, size: 80x46, fps: 30 } },
                ]
                """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let picture = try session.expectTrueReport(run).picture("camera")
        let record = try #require(picture.negotiation.first)
        // The larger size and the higher rate.
        #expect(record.suggested == "160x90@30", "\(record)")
        #expect(
            record.ceilings.contains { $0.origin.contains("requested format") && $0.binds },
            "\(record)")
        #expect(picture.outputs.map(\.rate) == ["15", "30"])
        #expect(try session.picture("camera").frameCount == 15)
        let small = try Y4MRecording(session.folder("small/camera.y4m"))
        #expect(small.frameCount == 30 && small.width == 80)
    }

    @Test func `a camera is offered only formats that it can send`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Limited"))", maximum: "320x180@30",
            duration: "2s", clock: "virtual", table: Self.table,
            timeline: ["at: 1s, ceiling: 160x90@10"])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let records = try report.picture("camera").negotiation
        #expect(records.map(\.suggested) == ["160x90@20", "160x90@10"], "\(records)")
        let rows = try report.plugin("camera").offer?.rows ?? []
        #expect(!rows.isEmpty && rows.allSatisfy { $0.hasPrefix("160x90@") }, "\(rows)")
        #expect(try session.picture("camera").frameCount == 40, "\(run)")
    }

    @Test func `a negotiation record names ceilings, origins and times`() throws {
        let (_, _, report, _) = try run(
            "Follows", duration: 3,
            timeline: ["at: 1s, ceiling: 160x90@15", "at: 1500ms, ceiling: none"])
        let record = try #require(try report.picture("camera").negotiation.last)
        let ceiling = try #require(record.ceilings.first)
        #expect(ceiling.binds && ceiling.limit == "160x90@15" && ceiling.since == 1, "\(record)")
        #expect(ceiling.origin.contains("timeline[0]"), "\(record)")
        #expect(record.ceilings.contains { $0.origin == "session.maximum" && !$0.binds })
    }
}
