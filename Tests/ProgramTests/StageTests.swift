import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled composer `Stage`, and of what takes its video.
@Suite(.ownThreads) struct StageTests {
    private static let cameras = """
        cameras:
          desk: { plugin: ColorBars, settings: { pattern: grey } }
          room: { plugin: ColorBars }
        """

    /// The luma of the pixel in the middle of a part of each frame, in per cent of the picture.
    private func luma(
        of recording: Y4MRecording, x: Int, y: Int
    ) throws -> [Int] {
        try (0..<recording.frameCount).map { index in
            Int(try recording.frame(index)[recording.width * x / 100, recording.height * y / 100].y)
        }
    }

    @Test(arguments: ["host", "process"])
    func `Stage composes two cameras to one picture that a live setting changes`(isolation: String)
        throws
    {
        let session = try FileSession(
            """
            \(Self.cameras)
            stage:
              plugin: Stage
              isolation: \(isolation)
              settings: { layout: pip, main: camera.room, inset: camera.desk, corner: top-left }
            """, maximum: "640x360@30", duration: "2s", clock: "virtual",
            timeline: ["at: 1s, set: stage.settings.layout=grid"], isolation: nil,
            outputs: "[{ record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let stage = try session.report().picture("stage")
        #expect(stage.account.realPercent ?? 0 > 95, "\(run)")
        let video = try session.picture("stage")
        #expect(video.frameCount == 60 && video.width == 640)
        // The inset is grey at first, and the room never black: a change goes over no black frame.
        #expect(try luma(of: video, x: 15, y: 15)[..<29].allSatisfy { $0 > 60 })
        #expect(try luma(of: video, x: 60, y: 60).allSatisfy { $0 > 24 })
        // Two tiles of half the width, in front of the background.
        #expect(try luma(of: video, x: 50, y: 10)[45...].allSatisfy { (36...44).contains($0) })
    }

    @Test(arguments: [
        ("layout: custom", "the layout custom has no places"),
        ("layout: custom, custom: camera 0 0 50", "is not a place"),
        ("background: red", "is not a colour; write #rrggbb\n"),
        ("background: '#11223344'", "is not a colour; write #rrggbb\n"),
        (
            "main: camera.x",
            "stage.settings.main: the stage has no \"camera.x\" to show. Write camera."
        ),
        (
            "layout: custom, custom: [camera 0 0 50 50, share 50 0 50 50]",
            "stage.settings.custom[1]: the stage has no \"share\" to show. Write camera."
        ),
        ("background-image: missing.png", "missing.png"),
    ])
    func `a setting that can't be used is reported`(setting: String, message: String) throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            stage: { plugin: Stage, settings: { \(setting) } }
            """, clock: "virtual")
        let run = try session.run()
        #expect(run.exit != .code(0) && run.standardError.contains(message), "\(run)")
    }
}
