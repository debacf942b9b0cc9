import SessionTestSupport
import TestSupport
import Testing

/// Tests how another aspect ratio is fitted, by the pixels.
@Suite(.ownThreads) struct FitTests {
    private static let black = YUV(y: 16, u: 128, v: 128)

    /// Records a source in all four ways, at 320x180.
    private func record(
        _ settings: String
    ) throws -> (session: FileSession, run: Finished, picture: Report.VideoReport) {
        let outputs = ["letterbox", "crop", "stretch", "reject"].map {
            "{ record: { folder: \($0), size: 320x180, fit: \($0) } }"
        }
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera", settings))", maximum: "320x180@15",
            duration: "400ms", clock: "virtual", outputs: "[\(outputs.joined(separator: ", "))]")
        let run = try session.run()
        let picture = try Report(session.folder("letterbox/session.json")).picture("camera")
        // An output that can't show anything has failed.
        #expect(run.exit == .code(picture.outputs[3].delivered > 0 ? 0 : 74), "\(run)")
        return (session, run, picture)
    }

    /// Expects colours at positions of the last frame.
    private func expect(
        _ session: FileSession, _ fit: String, _ places: [(x: Int, y: Int, YUV)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let recording = try Y4MRecording(session.folder("\(fit)/camera.y4m"))
        #expect(recording.width == 320 && recording.height == 180, sourceLocation: sourceLocation)
        #expect(recording.frameCount == 6, sourceLocation: sourceLocation)
        let frame = try recording.frame(5)
        for (x, y, color) in places {
            #expect(
                frame[x, y].isNear(color, within: 2),
                "\(fit) at \(x), \(y): \(frame[x, y]), not \(color)",
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: ["limited", "full"])
    func `each fit adapts a 4:3 picture to a 16:9 output`(range: String) throws {
        let (session, run, picture) = try record(
            "width: 160, height: 120, fps: 15, range: \(range)")
        let colors = Quarters().expected
        // The whole picture, 240 wide between two bars of 40, which are black in the output's
        // range.
        try expect(
            session, "letterbox",
            [
                (0, 0, Self.black), (37, 90, Self.black), (282, 90, Self.black),
                (319, 179, Self.black), (43, 2, colors[0]), (276, 2, colors[1]),
                (276, 177, colors[2]), (43, 177, colors[3]), (155, 85, colors[0]),
            ])
        // The full width, and the middle of the height.
        try expect(
            session, "crop",
            [
                (0, 0, colors[0]), (319, 0, colors[1]), (319, 179, colors[2]),
                (0, 179, colors[3]), (156, 86, colors[0]), (164, 94, colors[2]),
            ])
        try expect(
            session, "stretch",
            [
                (0, 0, colors[0]), (319, 0, colors[1]), (319, 179, colors[2]),
                (0, 179, colors[3]), (156, 86, colors[0]), (164, 94, colors[2]),
            ])
        try expectRejected(session, run, picture)
    }

    @Test(arguments: [90, 270])
    func `each fit adapts a portrait to a landscape output`(rotation: Int) throws {
        let (session, run, picture) = try record("fps: 15, rotation: \(rotation)")
        let colors = Quarters(turns: rotation / 90).expected
        // Upright it is 180x320: 101 wide, centred.
        try expect(
            session, "letterbox",
            [
                (0, 0, Self.black), (106, 90, Self.black), (213, 90, Self.black),
                (319, 179, Self.black), (113, 2, colors[0]), (206, 2, colors[1]),
                (206, 177, colors[2]), (113, 177, colors[3]),
            ])
        // As wide as the output; the middle 180 of its height of 569, where all four quarters meet.
        for fit in ["crop", "stretch"] {
            try expect(
                session, fit,
                [
                    (0, 0, colors[0]), (319, 0, colors[1]), (319, 179, colors[2]),
                    (0, 179, colors[3]), (150, 80, colors[0]), (170, 100, colors[2]),
                ])
        }
        try expectRejected(session, run, picture)
    }

    @Test func `each fit fills the output with a picture that is turned by 180 degrees`() throws {
        let (session, _, picture) = try record("fps: 15, rotation: 180")
        let colors = Quarters(turns: 2).expected
        for fit in ["letterbox", "crop", "stretch", "reject"] {
            try expect(
                session, fit,
                [
                    (0, 0, colors[0]), (319, 0, colors[1]), (319, 179, colors[2]),
                    (0, 179, colors[3]),
                ])
        }
        #expect(picture.outputs.allSatisfy { $0.unconvertible == 0 })
    }

    /// Expects that the output with `reject` is black, and that the reason is reported once.
    private func expectRejected(
        _ session: FileSession, _ run: Finished, _ picture: Report.VideoReport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let rejected = picture.outputs[3]
        #expect(
            rejected.delivered == 0 && rejected.unconvertible == picture.carried, "\(rejected)",
            sourceLocation: sourceLocation)
        #expect(rejected.black == 6, "\(rejected)", sourceLocation: sourceLocation)
        try expect(
            session, "reject", [(0, 0, Self.black), (160, 90, Self.black)],
            sourceLocation: sourceLocation)
        let told = run.lines(of: "camera").split(separator: "\n").filter {
            $0.contains("a frame is lost")
        }
        #expect(told.count == 1, "\(run)", sourceLocation: sourceLocation)
    }
}
