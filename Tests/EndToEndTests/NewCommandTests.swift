import Foundation
import Glibc
import TestSupport
import Testing

/// `greenroom new` writes plugins that build, run, and do what they say.
@Suite struct NewCommandTests {
    /// Nothing refused, and nothing said of the plugin that is not all right.
    private func expectFine(
        _ run: Finished, _ plugin: NewPlugin, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.exit == .code(0), "\(run)", sourceLocation: sourceLocation)
        #expect(!run.standardError.contains("warning"), "\(run)", sourceLocation: sourceLocation)
        let report = try plugin.report()
        for picture in report.pictures {
            #expect(picture.refused.isEmpty, "\(run)", sourceLocation: sourceLocation)
            #expect(picture.unprocessed.total == 0, "\(run)", sourceLocation: sourceLocation)
            #expect(picture.stamps.missing == 0 && picture.stamps.backward == 0)
        }
        for sound in report.sounds {
            #expect(sound.refused.isEmpty, "\(run)", sourceLocation: sourceLocation)
            #expect(sound.stamps.missing == 0 && sound.stamps.backward == 0)
        }
    }

    // MARK: What the plugins do

    /// The stripes that a row of a frame has: after each, luma falls.
    private func stripes(in frame: YUVPicture) -> Int {
        let row = frame.y.prefix(frame.width)
        return zip(row, row.dropFirst()).filter { Int($0) - Int($1) > 100 }.count
    }

    @Test(arguments: NewPlugin.languages)
    func `a camera has stripes that move, follows the session, and changes while it runs`(
        language: String
    ) throws {
        let plugin = try NewPlugin("camera", language)
        try plugin.build()
        let run = try plugin.run(
            "timeline=[{at: 500ms, set: camera.settings.stripes=20}, "
                + "{at: 1s, ceiling: 640x360@15}, {at: 1500ms, do: stop camera}, "
                + "{at: 1700ms, do: start camera}]")
        try expectFine(run, plugin)
        let recording = try plugin.picture("camera")
        #expect(recording.width == 1280 && recording.height == 720)
        #expect(recording.frameCount == 60)
        let (first, second) = (try recording.frame(5), try recording.frame(6))
        #expect(first.y != second.y)
        #expect(abs(stripes(in: first) - 8) <= 1 && abs(stripes(in: second) - 8) <= 1)
        #expect(first.y.allSatisfy { (16...235).contains($0) })
        #expect(Set(first.u) == [160] && Set(first.v) == [110])
        #expect(abs(stripes(in: try recording.frame(25)) - 20) <= 1)
        #expect(try recording.frame(48).y.allSatisfy { $0 == 16 }, "it is stopped")
        #expect(abs(stripes(in: try recording.frame(58)) - 20) <= 1, "it is there again")

        let picture = try plugin.report().picture("camera")
        #expect(picture.negotiation.map(\.answer).allSatisfy { $0 == "accept" }, "\(picture)")
        #expect(picture.negotiation.count == 2)
        #expect(picture.negotiation.last?.source == "640x360@15", "\(picture)")
        #expect(picture.staleRevision == 0)
        // 30 a second for a second, then 15 a second for 500 ms and for 300 ms.
        #expect((40...44).contains(picture.sent), "\(picture)")
    }
}
