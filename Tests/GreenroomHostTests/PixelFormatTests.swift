import SessionTestSupport
import TestSupport
import Testing

/// Tests that the recording shows frames of any format, size, stride, rotation, range and matrix
/// correctly.
@Suite(.ownThreads) struct PixelFormatTests {
    /// A format of the four flat quarters that hostile sources send.
    struct Sent: CustomTestStringConvertible, Sendable {
        var format: String
        var width = 161
        var height = 91
        /// Padding after each row, in bytes.
        var padding = 7
        var rotation = 0
        var range = "limited"
        var matrix = "bt601"
        var way = "borrowed"

        /// The settings of the plugins `Answers` and `ShareAnswers`.
        var settings: String {
            """
            answer: fixed, fps: 15, format: \(format), width: \(width), height: \(height), \
            padding: \(padding), rotation: \(rotation), range: \(range), matrix: \(matrix), \
            way: \(way)
            """
        }

        var testDescription: String {
            "\(format) \(width)x\(height)+\(padding) \(rotation)° \(range) \(matrix) \(way)"
        }
    }

    /// Two formats in each session: the first as camera, the second as share.
    struct Pair: CustomTestStringConvertible, Sendable {
        var camera: Sent
        var share: Sent
        var testDescription: String { "\(camera.testDescription), \(share.testDescription)" }
    }

    private static let all: [Sent] = [
        // Every format that is not compressed: odd sizes, and rows that are not a multiple of
        // anything.
        Sent(format: "i420"), Sent(format: "nv12"), Sent(format: "nv21"), Sent(format: "yuy2"),
        Sent(format: "uyvy"), Sent(format: "bgra"), Sent(format: "rgba"), Sent(format: "bgrx"),
        Sent(format: "rgbx"), Sent(format: "rgb24"), Sent(format: "i010"), Sent(format: "p010"),
        // Ranges and matrices.
        Sent(format: "i420", range: "full"), Sent(format: "i420", matrix: "bt709"),
        Sent(format: "nv12", range: "full", matrix: "bt709"),
        Sent(format: "nv21", matrix: "bt709"),
        Sent(format: "yuy2", range: "full", matrix: "bt709"), Sent(format: "uyvy", range: "full"),
        Sent(format: "bgra", range: "full", matrix: "bt709"),
        Sent(format: "rgb24", range: "full", matrix: "bt709"),
        Sent(format: "i010", range: "full"), Sent(format: "p010", matrix: "bt709"),
        // Rotations; of squares, so that they fill the frame.
        Sent(format: "i420", width: 121, height: 121, rotation: 90),
        Sent(format: "i420", width: 121, height: 121, rotation: 180),
        Sent(format: "i420", width: 120, height: 120, padding: 0, rotation: 270),
        Sent(format: "nv12", width: 121, height: 121, rotation: 90, range: "full"),
        Sent(format: "yuy2", width: 121, height: 121, rotation: 270),
        Sent(format: "bgra", width: 121, height: 121, rotation: 90, range: "full"),
        Sent(format: "p010", width: 121, height: 121, rotation: 180),
        Sent(format: "rgb24", width: 121, height: 121, rotation: 270, range: "full"),
        // Leases, with the host's strides.
        Sent(format: "i420", way: "leased"), Sent(format: "nv12", rotation: 180, way: "leased"),
        Sent(format: "bgra", range: "full", way: "leased"), Sent(format: "uyvy", way: "leased"),
        Sent(format: "p010", way: "leased"), Sent(format: "rgb24", range: "full", way: "leased"),
        // The smallest size.
        Sent(format: "i420", width: 12, height: 13, padding: 1),
        Sent(format: "rgb24", width: 15, height: 11, padding: 1),
    ]

    static let pairs = stride(from: 0, to: all.count, by: 2).map {
        Pair(camera: all[$0], share: all[$0 + 1])
    }

    @Test(arguments: pairs)
    func `colours are within 2 of the standard's formulas`(pair: Pair) throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Answers", pair.camera.settings))
            share: \(try FileSession.hostile("ShareAnswers", pair.share.settings))
            """, duration: "200ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        for (track, sent) in [("camera", pair.camera), ("share", pair.share)] {
            let recording = try session.picture(track)
            #expect(recording.width == sent.width && recording.height == sent.height, "\(track)")
            #expect(recording.frameCount == 3, "\(track)\n\(run)")
            // Whatever the source sends, a recording of this size is BT.601.
            let quarters = Quarters(turns: sent.rotation / 90)
            quarters.expect(in: try recording.frame(0), within: 2)
            quarters.expect(in: try recording.frame(2), within: 2)
            let picture = try report.picture(track)
            #expect(picture.outputs[0].delivered > 0, "\(track)\n\(run)")
            #expect(picture.leased == (sent.way == "leased" ? picture.accepted : 0), "\(track)")
            if sent.way == "leased" { #expect(picture.bytesCopied == 0, "\(track)") }
            // Upright I420 of limited range and that matrix is recorded unchanged.
            if sent.format == "i420", sent.range == "limited", sent.matrix == "bt601",
                sent.rotation == 0
            {
                #expect(picture.conversions == 0 && picture.bytesConverted == 0, "\(track)")
            }
        }
    }

    @Test func `pixels that are converted while they are sent have the right colours`() throws {
        let camera = Sent(
            format: "bgra", width: 121, height: 121, rotation: 90, matrix: "bt709")
        let share = Sent(format: "rgbx")
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Answers", camera.settings))
            share: \(try FileSession.hostile("ShareAnswers", share.settings))
            """, duration: "3s")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        for (track, sent) in [("camera", camera), ("share", share)] {
            let recording = try session.picture(track)
            Quarters(turns: sent.rotation / 90).expect(
                in: try recording.frame(recording.frameCount - 1), within: 2)
            let picture = try report.picture(track)
            #expect(picture.bytesCopied > 0, "the first frame: nobody has taken one yet")
            #expect(
                picture.bytesCopied < picture.accepted * 4 * sent.width * sent.height,
                "\(track)\n\(run)")
            #expect(picture.conversions >= picture.outputs[0].delivered, "\(track)")
        }
    }

    @Test func `JPEG images are decoded`() throws {
        let folder = try TemporaryFolder()
        // Halves of whole JPEG blocks.
        let (width, height) = (320, 192)
        var pixels = Array("P6 \(width) \(height) 255\n".utf8)
        for y in 0..<height {
            for x in 0..<width {
                switch (x < width / 2, y < height / 2) {
                case (true, true): pixels += [200, 40, 40]
                case (false, true): pixels += [40, 200, 40]
                case (true, false): pixels += [40, 40, 200]
                case (false, false): pixels += [200, 200, 200]
                }
            }
        }
        let source = try folder.write("quarters.ppm", pixels)
        let image = folder("quarters.jpg")
        let made = try ChildProcess.run(
            "ffmpeg", ["-v", "error", "-i", source, "-q:v", "2", "-pix_fmt", "yuvj420p", image])
        #expect(made.exit == .code(0), "\(made)")

        // JPEG is of full range and BT.601.
        let settings = """
            answer: fixed, fps: 15, format: mjpeg, width: \(width), height: \(height), \
            range: full, image: "\(image)"
            """
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Answers", settings))", maximum: "640x360@15",
            duration: "400ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        try session.expectTrueReport(run)
        let recording = try session.picture("camera")
        #expect(recording.width == width && recording.height == height)
        Quarters().expect(in: try recording.frame(3), within: 4)
    }

    @Test func `a camera may change its format with each frame`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("ShapeShifter"))", maximum: "320x180@30",
            duration: "1500ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(run.answers(to: "shape").isEmpty, "\(run)")
        let picture = try report.picture("camera")
        #expect(picture.unconvertible == 0 && picture.outputs[0].unconvertible == 0, "\(run)")
        #expect(picture.outputs[0].delivered > 10, "\(run)")
    }
}
