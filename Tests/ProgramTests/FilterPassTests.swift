import TestSupport
import Testing

/// Isolated filters in a row, on the real clock: a frame goes from the process of one to that of the next, and
/// whatever one of them does costs its own edit alone. That they do so without the host is counted by
/// ``FramePathTests``.
@Suite(.ownThreads) struct FilterPassTests {
    private struct Result {
        var run: Finished
        var report: Report
        var picture: Report.VideoReport
        /// Whether each frame of the recording is inverted.
        var inverted: [Bool]

        /// How often a filter was called.
        func calls(_ index: Int) throws -> Int {
            try report.plugin("camera.pre-processors[\(index)]").callbacks["process"]?.calls ?? 0
        }

        /// Whether a busy machine was late with edits: these are missing then, too.
        var isLate: Bool { picture.unprocessed.late > 0 }
    }

    /// Runs filters, of which one is another one than Invert.
    private func run(
        _ count: Int, except place: Int? = nil, _ name: String = "", _ settings: String = "",
        _ more: String = "", duration: String = "3s", timeline: [String] = []
    ) throws -> Result {
        let filters = try (0..<count).map {
            try $0 == place
                ? TestSession.hostile(name, settings, more) : TestSession.hostile("Invert")
        }
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile(
                "Camera", "fps: 30", "pre-processors: [\(filters.joined(separator: ", "))]"))
            """, maximum: "64x36@30", duration: duration, deadline: "1s", timeline: timeline,
            isolation: "process")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let recording = try session.picture("camera")
        let upright = Quarters().expected[0].y
        let inverted = try (0..<recording.frameCount).map { index in
            let luma = try recording.frame(index)[0, 0].y
            // No frame is anything else: none that is being copied, or was left half edited.
            #expect(min(abs(luma - upright), abs(luma - (255 - upright))) <= 2, "\(index): \(luma)")
            return abs(luma - upright) > 2
        }
        let report = try session.expectTrueReport(run)
        return Result(
            run: run, report: report, picture: try report.picture("camera"), inverted: inverted)
    }

    @Test(arguments: [2, 3, 9])
    func `each filter edits what the one before has edited`(count: Int) throws {
        // Nine are more than a pass takes.
        let result = try run(count)
        let isOdd = count % 2 == 1
        #expect(result.inverted.contains(isOdd), "\(result.run)")
        #expect(result.inverted.allSatisfy { $0 == isOdd } || result.isLate, "\(result.run)")
        #expect(result.picture.unprocessed.refused + result.picture.unprocessed.lost == 0)
    }

    @Test(arguments: 0..<3)
    func `a filter that refuses a frame costs its edit alone`(place: Int) throws {
        let result = try run(3, except: place, "FilterFails")
        #expect(result.inverted.allSatisfy { !$0 } || result.isLate, "\(result.run)")
        let refused = result.picture.unprocessed.refused
        #expect(refused > 0)
        #expect(try refused == result.calls(place) / 2 || result.isLate, "\(result.run)")
        // Those after it edit the frame as it was before.
        #expect(try result.calls(2) == result.calls(0) || result.isLate, "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `a frame that a required filter refuses goes to no later one`(place: Int) throws {
        let result = try run(3, except: place, "FilterFails", "", "required: true")
        #expect(result.inverted.allSatisfy { !$0 } || result.isLate, "\(result.run)")
        #expect(result.picture.withheld >= result.picture.unprocessed.refused, "\(result.run)")
        #expect(result.picture.unprocessed.refused > 0, "\(result.run)")
        let (there, last) = (try result.calls(place), try result.calls(2))
        #expect(place == 2 || last == there - there / 2 || result.isLate, "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `a filter may call the host while it edits`(place: Int) throws {
        let result = try run(3, except: place, "FilterTalks")
        #expect(result.inverted.contains(true), "\(result.run)")
        #expect(result.inverted.allSatisfy { $0 } || result.isLate, "\(result.run)")
        #expect(result.run.standardError.contains("edits frame 1"), "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `frames go on without a filter that is lost, until it returns`(place: Int) throws {
        let role = "camera.pre-processors[\(place)]"
        let result = try run(
            3, except: place, "FaultyFilter", "frames: 15", duration: "5s",
            timeline: [
                "at: 1s, set: \"\(role).settings.fault=segv\"",
                "at: 1200ms, set: \"\(role).settings.fault=none\"",
            ])
        let loss = try #require(try result.report.plugin(role).losses?.first)
        #expect(loss.awaySeconds != nil, "\(result.run)")
        #expect(result.picture.unprocessed.lost > 0, "\(result.run)")
        #expect(result.inverted.contains(false), "without it")
        let ends = result.inverted.prefix(25) + result.inverted.suffix(25)
        #expect(ends.allSatisfy { $0 } || result.isLate, "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `those beside a filter that hangs edit the frames after it`(place: Int) throws {
        let result = try run(3, except: place, "FilterHangs", "frames: 30", "on-failure: off")
        #expect(result.isLate && result.picture.unprocessed.lost > 0, "\(result.run)")
        let hung = try result.report.plugin("camera.pre-processors[\(place)]")
        #expect(hung.fault == "it hangs in process", "\(result.run)")
        // It has had 31 frames; no other filter was given up for it.
        #expect(result.report.plugins.count { $0.fault != nil } == 1, "\(result.run)")
        #expect(!(result.inverted.last ?? true), "\(result.run)")
    }
}
