import SessionTestSupport
import TestSupport
import Testing

/// Tests the size, rate and fit of each output.
@Suite(.ownThreads) struct AdaptationTests {
    private static let black = YUV(y: 16, u: 128, v: 128)

    @Test func `each output has its own size, rate and fit`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))", maximum: "320x180@15",
            duration: "800ms", clock: "virtual",
            outputs: """
                [
                  { record: recording },
                  { record: { folder: same } },
                  { record: { folder: letterbox, size: 160x160 } },
                  { record: { folder: crop, size: 160x160, fit: crop } },
                  { record: { folder: stretch, size: 160x160, fit: stretch, fps: 5 } },
                ]
                """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)

        // The first two need no conversion; each of the others converts the frames that reach it.
        let picture = try report.picture("camera")
        try #require(picture.outputs.count == 5)
        let converted = picture.outputs[2...].map(\.delivered).reduce(0, +)
        #expect(picture.conversions == converted, "\(picture)")
        #expect(picture.outputs.map(\.rate) == ["15", "15", "15", "15", "5"])

        let whole = try session.picture("camera")
        let same = try Y4MRecording(session.folder("same/camera.y4m"))
        #expect(same.frameCount == whole.frameCount)
        #expect(try same.frame(5) == whole.frame(5))

        // The whole picture: 160x90 between two bars of 35 rows.
        let letterbox = try Y4MRecording(session.folder("letterbox/camera.y4m"))
        #expect(letterbox.width == 160 && letterbox.height == 160 && letterbox.frameCount == 12)
        let boxed = try letterbox.frame(11)
        let quarters = Quarters().expected
        for (x, y, expected) in [
            (80, 2, Self.black), (80, 30, Self.black), (80, 130, Self.black), (0, 157, Self.black),
            (2, 60, quarters[0]), (157, 60, quarters[1]), (157, 100, quarters[2]),
            (2, 100, quarters[3]),
        ] {
            #expect(boxed[x, y].isNear(expected, within: 2), "\(x), \(y): \(boxed[x, y])")
        }

        for (name, frames) in [("crop", 12), ("stretch", 4)] {
            let recording = try Y4MRecording(session.folder("\(name)/camera.y4m"))
            #expect(recording.frameCount == frames, "\(name)")
            let frame = try recording.frame(frames - 1)
            for (place, expected) in zip([(5, 5), (154, 5), (154, 154), (5, 154)], quarters) {
                #expect(
                    frame[place.0, place.1].isNear(expected, within: 2),
                    "\(name) at \(place): \(frame[place.0, place.1])")
            }
        }
        let stretched = try Y4MRecording(session.folder("stretch/camera.y4m"))
        #expect(stretched.framesPerSecond == 5)
    }

    @Test func `frames of another size than agreed are scaled to the agreed size`() throws {
        // The camera agrees to 320x180 but sends 640x360; the share sends a portrait, rotated.
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Camera", "width: 640, height: 360"))
            share: \(try FileSession.hostile("Share", "width: 160, height: 90, rotation: 90"))
            """, duration: "400ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run)
        let camera = try session.picture("camera")
        #expect(camera.width == 320 && camera.height == 180)
        Quarters().expect(in: try camera.frame(3), within: 2)

        // A recording without a size follows the share's shape: upright it is 90x160.
        let share = try session.picture("share")
        #expect(share.width == 90 && share.height == 160)
        Quarters(turns: 1).expect(in: try share.frame(3), within: 2)
    }

    @Test func `fit: reject makes another aspect ratio an error`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))", duration: "400ms", clock: "virtual",
            outputs: "[{ record: { folder: recording, size: 160x160, fit: reject } }]")
        let run = try session.run()
        let report = try session.expectTrueReport(run)
        let picture = try report.picture("camera")
        #expect(picture.outputs[0].delivered == 0 && picture.outputs[0].unconvertible > 0)
        let lines = run.lines(of: "camera").split(separator: "\n").filter {
            $0.contains("a frame is lost")
        }
        #expect(lines.count == 1, "each thing is said once:\n\(run)")
    }
}
