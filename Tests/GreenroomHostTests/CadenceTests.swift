import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that outputs have an even rhythm for every rhythm of the source.
@Suite(.ownThreads) struct CadenceTests {
    /// Runs ten seconds of a numbering camera on the virtual clock.
    private func run(
        _ name: String, _ settings: String = "", maximum: String = "64x36@30", fps: Int = 30
    ) throws -> (session: FileSession, cadence: Cadence, picture: Report.VideoReport, run: Finished)
    {
        let session = try FileSession(
            "camera: \(try FileSession.hostile(name, settings))", maximum: maximum,
            duration: "10s", clock: "virtual",
            outputs: "[{ record: { folder: recording, fps: \(fps) } }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let picture = try session.expectTrueReport(run).picture("camera")
        let marks = try session.picture("camera").marks()
        #expect(marks.count == 10 * fps, "as many frames as its time has periods:\n\(run)")
        #expect(marks.allSatisfy { $0 != nil }, "none is black:\n\(run)")
        let cadence = Cadence(marks.compactMap(\.self))
        #expect(
            cadence.steps.allSatisfy { $0 > 0 }, "none is older than the one before: \(cadence)")
        let output = picture.outputs[0]
        #expect(output.delivered == cadence.shown.count, "\(cadence)\n\(picture)")
        #expect(output.repeated == marks.count - cadence.shown.count, "\(cadence)\n\(picture)")
        return (session, cadence, picture, run)
    }

    @Test func `a source on an absolute schedule is shown frame by frame`() throws {
        let (_, cadence, picture, _) = try run("Steady")
        #expect(cadence.periods == Array(repeating: 1, count: 300), "\(cadence)")
        #expect(cadence.steps.allSatisfy { $0 == 1 })
        #expect(picture.outputs[0].departure.count == 299)
    }

    @Test func `a source that sleeps 33 ms after its work loses no frame`() throws {
        let (_, cadence, picture, _) = try run("Sleeper")
        // 27 frames a second: each is shown, every ninth one twice.
        #expect(cadence.steps.allSatisfy { $0 == 1 }, "\(cadence)")
        #expect(cadence.shown.count == 270, "\(cadence)")
        #expect(cadence.periods.allSatisfy { $0 <= 2 }, "\(cadence)")
        let twice = cadence.periods.indices.filter { cadence.periods[$0] == 2 }
        let gaps = zip(twice.dropFirst(), twice).map { $0 - $1 }
        #expect(gaps.allSatisfy { (8...11).contains($0) }, "they are spread evenly: \(cadence)")
        #expect(picture.arrival.p50Milliseconds > 36.6 && picture.arrival.p50Milliseconds < 37.4)
    }

    @Test func `of ten frames sent at once, one is shown and the others count as excess`() throws {
        let (_, cadence, picture, _) = try run("Burst")
        // A burst comes every 333 ms, which are ten periods.
        #expect(cadence.periods.dropLast().allSatisfy { (9...11).contains($0) }, "\(cadence)")
        let excess = picture.outputs[0].excess + picture.overRate + picture.superseded
        // The first frame of the last burst, 10 ms before the end, is nearest to the next period.
        #expect(picture.accepted == 310 && excess == 279, "\(picture)")
        #expect(cadence.shown.count == 30 && picture.outputs[0].afterEnd == 1, "\(picture)")
    }

    @Test
    func `a stall of less than a second shows the last frame until the source returns`() throws {
        let (_, cadence, _, _) = try run("Stall")
        // Two seconds with each frame once, the last one 25 times, and so on.
        let expected = (0..<228).map { [59, 119, 179].contains($0) ? 25 : 1 }
        #expect(cadence.periods == expected, "\(cadence)")
        #expect(cadence.steps.allSatisfy { $0 == 1 })
    }

    @Test func `each of five frames a second is shown six times`() throws {
        let (_, cadence, _, _) = try run("Steady", "fps: 5")
        #expect(cadence.periods == Array(repeating: 6, count: 50), "\(cadence)")
        #expect(cadence.steps.allSatisfy { $0 == 1 })
    }

    @Test func `every eighth of 240 frames a second is shown`() throws {
        let (_, cadence, picture, _) = try run("Steady", "fps: 240")
        #expect(cadence.periods == Array(repeating: 1, count: 300), "\(cadence)")
        // The first frame is in the middle of its period.
        #expect(cadence.steps.dropFirst().allSatisfy { $0 == 8 }, "\(cadence)")
        let output = picture.outputs[0]
        #expect(picture.accepted == 2400)
        #expect(picture.overRate + output.excess + output.afterEnd == 2100, "\(picture)")
    }

    @Test(arguments: [24, 25, 50, 60])
    func `an output rate other than the source's repeats or drops frames evenly`(fps: Int) throws {
        let (_, cadence, _, _) = try run("Steady", "fps: 30", maximum: "64x36@60", fps: fps)
        // Frames are repeated or dropped one at a time, never two in a row.
        #expect(cadence.steps.allSatisfy { (1...2).contains($0) }, "\(cadence)")
        #expect(cadence.periods.allSatisfy { (1...2).contains($0) }, "\(cadence)")
        #expect(cadence.shown.count == min(fps * 10, 300), "\(cadence)")
    }
}
