import Glibc
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
    }

    /// Runs filters, of which one is another one than Invert: again, if the machine has too little time.
    ///
    /// - Parameters:
    ///   - rate: Of frames a second: by default each has 100 ms.
    ///   - mayBeLate: Whether a filter is late by intent.
    ///   - meanwhile: Called with the host's process.
    private func run(
        _ count: Int, except place: Int? = nil, _ name: String = "", _ settings: String = "",
        _ more: String = "", duration: String = "2s", timeline: [String] = [],
        rate: Int = 10, mayBeLate: Bool = false, meanwhile: ((pid_t) -> Void)? = nil
    ) throws -> Result {
        let filters = try (0..<count).map {
            try $0 == place
                ? TestSession.hostile(name, settings, more) : TestSession.hostile("Invert")
        }
        for _ in 1...5 {
            let session = try TestSession(
                """
                camera: \(try TestSession.hostile(
                    "Camera", "fps: \(rate)", "pre-processors: [\(filters.joined(separator: ", "))]"))
                """, maximum: "64x36@\(rate)", duration: duration, deadline: "1s",
                timeline: timeline,
                isolation: "process")
            let host = try session.start()
            meanwhile?(host.id)
            let run = host.wait(atMost: .seconds(60))
            #expect(run.exit == .code(0), "\(run)")
            let report = try session.expectTrueReport(run)
            let result = Result(
                run: run, report: report, picture: try report.picture("camera"),
                inverted: try inverted(session.picture("camera")))
            if mayBeLate || result.picture.unprocessed.late == 0 { return result }
        }
        throw TooBusy()
    }

    /// The machine had too little time.
    private struct TooBusy: Error {}

    /// Whether each frame of a recording is inverted.
    private func inverted(_ recording: Y4MRecording) throws -> [Bool] {
        let upright = Quarters().expected[0].y
        return try (0..<recording.frameCount).map { index in
            let luma = try recording.frame(index)[0, 0].y
            // No frame is anything else: none that is being copied, or was left half edited.
            #expect(min(abs(luma - upright), abs(luma - (255 - upright))) <= 2, "\(index): \(luma)")
            return abs(luma - upright) > 2
        }
    }

    @Test(arguments: [2, 3, 9])
    func `each filter edits what the one before has edited`(count: Int) throws {
        // Nine are more than a pass takes.
        let result = try run(count)
        #expect(result.inverted.allSatisfy { $0 == (count % 2 == 1) }, "\(result.run)")
        #expect(result.picture.unprocessed.total == 0 && result.inverted.count == 20)
    }

    @Test(arguments: 0..<3)
    func `a filter that refuses a frame costs its edit alone`(place: Int) throws {
        let result = try run(3, except: place, "FilterFails")
        #expect(result.inverted.allSatisfy { !$0 }, "\(result.run)")
        let refused = result.picture.unprocessed.refused
        #expect(try refused > 0 && refused == result.calls(place) / 2, "\(result.run)")
        // Those after it edit the frame as it was before, once.
        #expect(try result.calls(2) == result.calls(0), "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `a frame that a required filter refuses goes to no later one`(place: Int) throws {
        let result = try run(3, except: place, "FilterFails", "", "required: true")
        #expect(result.inverted.allSatisfy { !$0 }, "\(result.run)")
        let picture = result.picture
        #expect(picture.unprocessed.refused > 0)
        #expect(picture.withheld == picture.unprocessed.refused, "\(result.run)")
        let (there, last) = (try result.calls(place), try result.calls(2))
        #expect(place == 2 || last == there - there / 2, "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `a filter may call the host while it edits`(place: Int) throws {
        let result = try run(3, except: place, "FilterTalks")
        #expect(result.inverted.allSatisfy { $0 }, "\(result.run)")
        #expect(
            result.run.standardError.contains(
                "frame 1: range 1, matrix 1, rotation 0, agreed, stamped"), "\(result.run)")
        #expect(try result.calls(2) == result.calls(0), "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `frames go on without a filter that is lost, until it returns`(place: Int) throws {
        let role = "camera.pre-processors[\(place)]"
        let result = try run(
            3, except: place, "FaultyFilter", "frames: 5", duration: "4s",
            timeline: [
                "at: 1s, set: \"\(role).settings.fault=segv\"",
                "at: 1200ms, set: \"\(role).settings.fault=none\"",
            ])
        let loss = try #require(try result.report.plugin(role).losses?.first)
        #expect(loss.awaySeconds != nil, "\(result.run)")
        // Without an edit that is late: no one waits for a frame that it had.
        #expect(result.picture.unprocessed.lost > 0, "\(result.run)")
        let ends = result.inverted.prefix(9) + result.inverted.suffix(9)
        #expect(ends.allSatisfy { $0 } && result.inverted.contains(false), "\(result.run)")
    }

    @Test(arguments: 0..<3)
    func `those beside a filter that hangs edit the frames after it`(place: Int) throws {
        let result = try run(
            3, except: place, "FilterHangs", "frames: 5", "on-failure: off", duration: "4s",
            mayBeLate: true)
        let unprocessed = result.picture.unprocessed
        #expect(unprocessed.late > 0 && unprocessed.lost > 0, "\(result.run)")
        let hung = try result.report.plugin("camera.pre-processors[\(place)]")
        #expect(hung.fault == "it hangs in process", "\(result.run)")
        #expect(result.report.plugins.count { $0.fault != nil } == 1, "\(result.run)")
        #expect(result.inverted.last == false, "\(result.run)")
    }

    // MARK: - Hostile processes

    @Test func `nonsense where filters pass frames on costs no filter its life`() throws {
        var random = SeededGenerator(seed: 7)
        let result = try run(3, duration: "5s", rate: 60, mayBeLate: true) { host in
            guard Runners.wait(for: 4, ofHost: host, atMost: .seconds(20)) else { return }
            let end = ContinuousClock.now + .seconds(3)
            while ContinuousClock.now < end {
                for process in Runners.all(ofHost: host) {
                    // Where the machine does not permit it, nothing is shown.
                    _ = Runners.corrupt(process, only: "greenroom-input", &random)
                }
                usleep(1000)
            }
        }
        #expect(result.report.plugins.allSatisfy { $0.losses == nil && $0.fault == nil })
        #expect(result.inverted.suffix(10).contains(true), "\(result.run)")
    }

    @Test func `who reads all of a filter's memory costs it nothing`() throws {
        let filter = try TestSession.hostile("Invert", "", "memory-limit: 64MB")
        let session = try TestSession(
            "camera: "
                + TestSession.bundled("ColorBars", "", "pre-processors: [\(filter), \(filter)]"),
            maximum: "1920x1080@10", duration: "4s", table: "[1920x1080@10]",
            isolation: "process")
        let host = try session.start()
        _ = Runners.wait(for: 3, ofHost: host.id, atMost: .seconds(20))
        var pages: Int? = 0
        // For some time: the watch looks now and then.
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            for process in Runners.all(ofHost: host.id) {
                pages = Runners.readPages(of: process).flatMap { read in pages.map { $0 + read } }
            }
        }
        // Where the machine lets no process read another one's memory, nothing is shown.
        #expect(pages.map { $0 > 20_000 } ?? true)
        let run = host.wait(atMost: .seconds(60))
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.plugins.allSatisfy { $0.losses == nil }, "\(run)")
    }
}
