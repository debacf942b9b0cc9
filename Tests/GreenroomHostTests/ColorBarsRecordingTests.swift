import SessionTestSupport
import TestSupport
import Testing

/// Checks a recording of ColorBars, which encodes number and time in its frames, frame by frame.
@Suite(.ownThreads) struct ColorBarsRecordingTests {
    /// The difference of two numbers that count modulo 2²⁴.
    private func difference(_ later: Int, _ earlier: Int) -> Int {
        let difference = (later - earlier) & 0xff_ffff
        return difference < 0x80_0000 ? difference : difference - 0x100_0000
    }

    /// Expects that the frames match the report, each in the slot of its timestamp.
    ///
    /// - Parameter sourceRate: The source's frame rate.
    private func expectCounted(
        _ recording: Y4MRecording, _ output: Report.VideoReport.Output, sourceRate: Double
    ) throws {
        let rate = try #require(recording.framesPerSecond)
        let codes = try (0..<recording.frameCount).map { index in
            try #require(
                BurntInCode(try recording.frame(index)), "frame \(index) can't be read")
        }
        let steps = zip(codes.dropFirst(), codes).map { difference($0.index, $1.index) }
        #expect(steps.allSatisfy { $0 >= 0 }, "no frame is older than the one before: \(steps)")
        #expect(steps.filter { $0 == 0 }.count == output.repeated, "\(steps)")
        let period = 1000 / rate
        // The timestamp and the position of a frame, both relative to the first, in milliseconds;
        // if that was repeated before the second, to its last.
        let leading = steps.prefix { $0 == 0 }.count
        let fresh = codes.indices.filter { $0 > 0 && codes[$0 - 1].index != codes[$0].index }
        let stamps = fresh.map { Double(difference(codes[$0].milliseconds, codes[0].milliseconds)) }
        let slots = fresh.map { Double($0 - leading) * period }
        // The recording does not contain the start of its first slot; most frames determine it. The
        // first frame may also fill the slots before it.
        let offsets = zip(stamps, slots).map(-).sorted()
        let begin = try #require(offsets.isEmpty ? nil : offsets[offsets.count / 2])
        #expect(abs(begin) <= 1.5 * period + 2, "the first frame is near its slot: \(offsets)")
        for (index, frame) in fresh.enumerated() {
            // Half a period, and a millisecond of rounding at either end.
            #expect(
                abs(stamps[index] - slots[index] - begin) <= period / 2 + 2,
                "frame \(frame) is \(stamps[index]) ms after the first, its slot \(slots[index])")
            // The timestamp matches the frame's number.
            let own = Double(difference(codes[frame].index, codes[0].index)) * 1000 / sourceRate
            #expect(abs(stamps[index] - own) <= 2)
        }
    }

    @Test func `a 720p recording of 3 s has every frame in its place, in the right colours`() throws
    {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))", maximum: "1280x720@30", duration: "3s",
            clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let recording = try session.picture("camera")
        #expect(recording.width == 1280 && recording.height == 720)
        #expect(recording.framesPerSecond == 30)
        #expect(recording.frameCount == 90)
        try expectCounted(
            recording, try report.picture("camera").outputs[0], sourceRate: 30)

        // White, yellow, cyan, green, magenta, red, blue and black of 75 %.
        let frame = try recording.frame(45)
        for (bar, rgb) in [
            (1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0),
        ].enumerated() {
            let expected = YUV.of(
                (191 * Double(rgb.0), 191 * Double(rgb.1), 191 * Double(rgb.2)), kr: 0.2126,
                kb: 0.0722, isFull: false)
            let (x, y) = ((2 * bar + 1) * 80, 720 * 2 / 3)
            #expect(frame[x, y].isNear(expected, within: 2), "bar \(bar): \(frame[x, y])")
        }

        // The ball moves.
        let row = 720 * 7 / 8
        func ball(_ picture: YUVImage) -> [Int] {
            (0..<1280).filter { picture[$0, row].isNear(YUV(y: 235, u: 128, v: 128), within: 2) }
        }
        #expect(ball(try recording.frame(10)).count > 60)
        #expect(ball(try recording.frame(10)) != ball(try recording.frame(60)))

        // Other programs can read it.
        let stream = try #require(
            try FFProbe(session.recording + "/camera.y4m").streams.first)
        #expect(stream.width == 1280 && stream.height == 720)
        #expect(stream.frameCount == "90" && stream.frameRate == "30/1")
        #expect(stream.pixelFormat == "yuv420p" && stream.colorRange == "tv")
    }

    @Test func `grey stripes in NV12 of full range and BT.709 are recorded`() throws {
        let session = try FileSession(
            """
            camera: \(FileSession.bundled(
                "ColorBars", "pattern: grey, range: full, matrix: bt709"))
            """, maximum: "640x360@30", duration: "500ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 15)
        try expectCounted(
            recording, try report.picture("camera").outputs[0], sourceRate: 30)
        let frame = try recording.frame(7)
        for stripe in [0, 4, 5, 9, 11, 12] {
            let grey = 100 + 10 * Double(stripe)
            let expected = YUV.of((grey, grey, grey), kr: 0.2126, kb: 0.0722, isFull: false)
            let (x, y) = (620, (2 * stripe + 1) * 360 / 32)
            #expect(frame[x, y].isNear(expected, within: 2), "stripe \(stripe): \(frame[x, y])")
        }
    }

    @Test func `a recording with a lower rate than the camera drops whole frames`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))", maximum: "640x360@30",
            duration: "800ms", clock: "virtual",
            // For the second one the camera sends 30.
            outputs: "[{ record: { folder: recording, fps: 10 } }, { record: whole }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let output = try report.picture("camera").outputs[0]
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 8 && recording.framesPerSecond == 10)
        #expect(output.excess > 0)
        try expectCounted(recording, output, sourceRate: 30)
    }

    @Test func `a filter edits every frame`() throws {
        let invert = try FileSession.hostile("Invert")
        let session = try FileSession(
            """
            camera: \(FileSession.bundled(
                "ColorBars", "counter: false, ball: false", "pre-processors: [\(invert)]"))
            """, maximum: "640x360@30", duration: "500ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let filter = try report.plugin("camera.pre-processors[0]")
        let picture = try report.picture("camera")
        #expect(filter.callbacks["process"]?.calls == picture.accepted - picture.superseded)
        #expect(picture.unprocessed.total == 0)
        #expect(picture.conversions == 0, "it is I420 of the right size already")
        let recording = try session.picture("camera")
        let black = YUV(y: 255 - 16, u: 128, v: 128)
        for index in 0..<recording.frameCount {
            #expect(try recording.frame(index)[639, 10].isNear(black, within: 2))
        }
    }
}
