import Foundation
import GreenroomMedia
import GreenroomModel
import GreenroomRuntime
import Testing

@testable import GreenroomSession

/// What a session shows of frames that a filter has not edited.
@Suite struct RequiredFilterTests {
    /// The luma of the first pixel of each frame of the recorded camera.
    private func lumas(_ result: InProcessSession.Result) throws -> [UInt8] {
        let bytes = try Data(contentsOf: URL(filePath: "\(result.recording)/camera.y4m"))
        let header = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
        let marker = "FRAME\n".utf8.count
        return stride(from: header + 1, to: bytes.count, by: marker + 320 * 180 * 3 / 2).map {
            bytes[$0 + marker]
        }
    }

    private func run(
        _ script: FakeSource.Script, isRequired: Bool, onFailure: FailurePolicy = .off,
        milliseconds: Int64 = 1600, clock: ClockKind = .virtual
    ) throws -> (InProcessSession.Result, picture: SessionReport.Video, lumas: [UInt8]) {
        let filter = FakeSource(script).plan(
            .preProcessor, onFailure: onFailure, isRequired: isRequired)
        var session = try InProcessSession(
            camera: FakeSource().plan(.videoSource), filters: [filter], milliseconds: milliseconds)
        session.plan.configuration.clock = clock
        let result = try session.run()
        let picture = try #require(result.picture("camera"))
        #expect(
            picture.accepted == picture.superseded + picture.discarded + picture.queued
                + picture.overRate + picture.unconvertible
                + picture.withheld + picture.carried)
        return (result, picture, try lumas(result))
    }

    private static let mark = FakeSource.mark

    @Test func `a frame that a filter refuses is shown unedited, and the log says so`() throws {
        let (result, picture, lumas) = try run(.init(refusing: 5..<8), isRequired: false)
        #expect(lumas.count == 24 && !lumas.contains(99))
        #expect((picture.unedited, picture.withheld) == (3, 0))
        let notes = result.notes("camera.pre-processors[0]")
        #expect(notes.count == 2 && notes[0].hasPrefix("refused a frame (FAILED)"), "\(notes)")
        #expect(notes.last?.hasSuffix("3 frames were not edited") == true, "\(notes)")
    }

    @Test func `a filter that is always late is reported and counted, and no frame is real`()
        throws
    {
        let late = FakeSource.Script(editsCopies: true, editMicroseconds: 250_000)
        let (shown, picture, lumas) = try run(late, isRequired: false, clock: .real)
        #expect(!lumas.contains(Self.mark))
        #expect(picture.carried > 0 && picture.unedited == picture.carried)
        #expect(picture.unprocessed.overdue == picture.carried && picture.account.realPercent == 0)
        let notes = shown.notes("camera.pre-processors[0]")
        #expect(
            notes.first?.hasPrefix("did not finish a frame within 66.6 ms; ")
                == true,
            "\(notes)")
        #expect(
            shown.report.summary.contains {
                $0.contains("of \(picture.carried) frames shown unedited by a filter")
            }, "\(shown.report.summary)")
        #expect(shown.report.outcome == .notReal)

        let (withheld, hidden, black) = try run(late, isRequired: true, clock: .real)
        #expect(hidden.carried == 0 && hidden.withheld > 0 && hidden.unprocessed.overdue > 0)
        #expect(!black.contains { (40..<200).contains($0) }, "no frame of the camera")
        #expect(
            withheld.report.summary.contains { $0.contains("frames not shown: a filter") })
        #expect(withheld.report.outcome == .notReal)
    }

    @Test
    func `a frame that a required filter refuses is replaced by the last edited frame`() throws {
        let (result, picture, lumas) = try run(.init(refusing: 5..<8), isRequired: true)
        #expect(lumas == [UInt8](repeating: Self.mark, count: 24))
        #expect((picture.unedited, picture.withheld, picture.unprocessed.refused) == (0, 3, 3))
        #expect(picture.outputs[0].repeated == 3 && picture.outputs[0].slate == 0)
        let notes = result.notes("camera.pre-processors[0]")
        #expect(notes.count == 2 && notes[0].contains("unedited frames are hidden"), "\(notes)")
    }

    @Test
    func `a slate is shown after a second without a frame that a required filter edited`() throws {
        let (_, picture, lumas) = try run(
            .init(refusing: 5..<40), isRequired: true, milliseconds: 3200)
        #expect(Set(lumas) == [Self.mark, 34] && lumas.last == Self.mark)
        // Five frames, a second of the last one, the slate until frame 40 was edited.
        let slate = lumas.indices.filter { lumas[$0] == 34 }
        #expect(slate == Array(21..<40) && picture.outputs[0].slate == slate.count)
        #expect(picture.withheld == 35)
    }

    @Test(arguments: [true, false])
    func `a filter of a share refuses frames like a filter of a camera`(isRequired: Bool) throws {
        let filter = FakeSource(.init(refusing: 5..<8)).plan(
            .preProcessor, onFailure: .off, isRequired: isRequired)
        var session = try InProcessSession(
            share: FakeSource().plan(.shareSource), milliseconds: 1600)
        session.plan.slots[0].filters = [filter]
        let result = try session.run()
        let picture = try #require(result.picture("share"))
        #expect((picture.unedited, picture.withheld) == (isRequired ? (0, 3) : (3, 0)))
        #expect(picture.unprocessed.refused == 3)
        let edits = try #require(
            result.plugin("share.pre-processors[0]")?.callbacks["process"]?.calls)
        #expect(edits >= 24 && picture.carried == edits - (isRequired ? 3 : 0))
        let notes = result.notes("share.pre-processors[0]")
        #expect(notes.count == 2 && notes[0].hasPrefix("refused a frame (FAILED)"), "\(notes)")
    }

    @Test(arguments: ["create", "initialize", "start-send"])
    func `no frame is shown if a required filter failed to start`(step: String) throws {
        let (result, picture, lumas) = try run(
            .init(failing: (step, .failed, "no model")), isRequired: true, milliseconds: 2000)
        #expect(result.dropped == ["camera.pre-processors[0]"])
        // A file has no picture before the first one.
        #expect(Set(lumas) == [34] && picture.outputs[0].slate == 30)
        #expect(picture.carried == 0 && picture.withheld >= 30)
        let (_, optional, all) = try run(
            .init(failing: (step, .failed, "no model")), isRequired: false, milliseconds: 400)
        #expect(optional.withheld == 0 && optional.outputs[0].delivered == 6)
        #expect(Set(all).isDisjoint(with: [34, Self.mark]))
    }
}
