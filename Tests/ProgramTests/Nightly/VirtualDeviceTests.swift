import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that other programs see and hear a session as camera and microphone, and it hears them.
@Suite(.ownThreads) struct VirtualDeviceTests {
    /// Ends a session that would last longer.
    private func end(
        _ run: ChildProcess, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Finished {
        run.signal(SIGINT)
        let finished = run.wait()
        #expect(finished.exit == .code(130), "\(finished)", sourceLocation: sourceLocation)
        return finished
    }

    private func values(_ session: FileSession, _ plugin: Int = 0) throws -> [String: Double] {
        let all = try #require(try session.report().outputPlugins)
        return all[plugin].values
    }

    // MARK: - Camera

    private static let camera = """
        camera: { plugin: ColorBars, settings: { ball: false, counter: false } }
        """

    /// Expects the eight colours of the bars at a height of an I420 frame.
    private func expectBars(
        _ frame: [UInt8], _ width: Int, _ height: Int, at row: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard frame.count == width * height * 3 / 2 else {
            Issue.record("\(frame.count) bytes", sourceLocation: sourceLocation)
            return
        }
        // White, yellow, cyan, green, magenta, red, blue, black, at 75 %, in BT.601.
        let y = [180, 161, 131, 112, 84, 65, 35, 16]
        let u = [128, 44, 156, 72, 184, 100, 212, 128]
        let v = [128, 142, 44, 58, 198, 212, 114, 128]
        let row = row ?? height * 3 / 4
        for bar in 0..<8 {
            let column = (2 * bar + 1) * width / 16
            let chroma = width * height + row / 2 * (width / 2) + column / 2
            let seen = [
                frame[row * width + column], frame[chroma], frame[chroma + width * height / 4],
            ]
            for (seen, value) in zip(seen, [y[bar], u[bar], v[bar]]) {
                #expect(
                    abs(Int(seen) - value) <= 1, "bar \(bar): \(seen)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// Expects a file of I420 frames with the bars.
    private func expectBars(
        _ path: String, frames: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let size = 640 * 360 * 3 / 2
        let bytes = try readFile(path)
        #expect(bytes.count == frames * size, sourceLocation: sourceLocation)
        for frame in 0..<(bytes.count / size) {
            expectBars(
                Array(bytes[(frame * size)..<((frame + 1) * size)]), 640, 360,
                sourceLocation: sourceLocation)
        }
    }

    @Test func `programs see the camera, late, two at once and again`() throws {
        let server = try PipeWireServer()
        let session = try FileSession(
            Self.camera, maximum: "640x360@30", duration: nil,
            outputs: """
                [{ plugin: VirtualCamera, settings: { name: Stage } }, { record: recording }]
                """)
        let folder = session.folder
        let run = try server.greenroom(session)
        try server.waitForNode("Stage")
        let first = try server.frames(30, of: "Stage", to: folder("first.yuv"))
        let second = try server.frames(10, of: "Stage", to: folder("second.yuv"))
        for reader in [first, second] {
            let reader = reader.wait()
            #expect(reader.exit == .code(0), "\(reader)")
        }
        // A stopped reader does not delay the others.
        let stalled = try server.frames(10_000, of: "Stage", to: "/dev/null")
        let v4l2 = try server.start(
            "pw-v4l2",
            [
                "ffmpeg", "-nostdin", "-v", "error", "-f", "v4l2", "-i", "/dev/video0", "-frames:v",
                "10", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-y", folder("v4l2.yuv"),
            ]
        ).wait()
        #expect(v4l2.exit == .code(0), "\(v4l2)")
        stalled.signal(SIGSTOP)
        let beside = try server.frames(10, of: "Stage", to: folder("beside.yuv"))
            .wait()
        #expect(beside.exit == .code(0), "\(beside)")
        _ = stalled.wait(atMost: .zero)
        let again = try server.frames(3, of: "Stage", to: folder("again.yuv"))
            .wait()
        #expect(again.exit == .code(0), "\(again)")

        let finished = end(run)
        try expectBars(folder("first.yuv"), frames: 30)
        try expectBars(folder("second.yuv"), frames: 10)
        try expectBars(folder("v4l2.yuv"), frames: 10)
        try expectBars(folder("beside.yuv"), frames: 10)
        try expectBars(folder("again.yuv"), frames: 3)
        let report = try session.expectTrueReport(finished)
        #expect(report.outputPlugins?.count == 1)
        let values = try values(session)
        #expect(try #require(values["frames-written"]) >= 50, "\(values)")
    }

    @Test
    func `the camera has a fixed size, and is black while the session's camera is off`()
        throws
    {
        let server = try PipeWireServer()
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            share: { plugin: ColorBarsShare, settings: { ball: false, counter: false } }
            """, maximum: "858x480@30", duration: nil, timeline: ["at: 0s, do: stop camera"],
            outputs: """
                [{ plugin: VirtualCamera }, { plugin: VirtualCamera, settings: { name: Small, \
                track: share, width: 320, height: 240, fps: 10 } }]
                """)
        let run = try server.greenroom(session)
        try server.waitForNode("Small")
        // The first ones may be older than the command.
        let own = try server.frames(30, of: "Greenroom", to: session.folder("own.yuv"))
        let small = try server.frames(3, of: "Small", to: session.folder("small.yuv"))
        for reader in [own, small] {
            let reader = reader.wait()
            #expect(reader.exit == .code(0), "\(reader)")
        }
        _ = end(run)
        // Every program accepts this row length.
        let black = try readFile(session.folder("own.yuv"))
        let pixels = 856 * 480
        #expect(black.count == 30 * pixels * 3 / 2)
        let last = black.suffix(pixels * 3 / 2)
        #expect(last.prefix(pixels).allSatisfy { $0 == 16 })
        #expect(last.dropFirst(pixels).allSatisfy { $0 == 128 })
        // 16:9 in 4:3: bars above and below.
        let frame = Array(try readFile(session.folder("small.yuv")).suffix(320 * 240 * 3 / 2))
        #expect(frame.prefix(320 * 28).allSatisfy { $0 == 16 })
        expectBars(frame, 320, 240, at: 120)
    }

    @Test func `while the session's camera is lost, programs see a slate`() throws {
        let server = try PipeWireServer()
        let camera = try FileSession.hostile(
            "Faulty", "frames: 10, fault: abort", "isolation: process, on-failure: off")
        let session = try FileSession(
            "camera: \(camera)\nshare: { plugin: ColorBarsShare }", maximum: "640x360@30",
            duration: nil, outputs: "[{ plugin: VirtualCamera, settings: { name: Stage } }]")
        let run = try server.greenroom(session)
        try server.waitForNode("Stage")
        // It is lost in its first second, and the slate comes a second later.
        let reader = try server.frames(150, of: "Stage", to: session.folder("stage.yuv"))
            .wait()
        #expect(reader.exit == .code(0), "\(reader)")
        run.signal(SIGINT)
        let finished = run.wait()
        let luma = try readFile(session.folder("stage.yuv")).suffix(640 * 360 * 3 / 2)
            .prefix(640 * 360)
        #expect(luma.count { (30...38).contains($0) } > luma.count * 3 / 4, "\(finished)")
        #expect(luma.count { $0 > 200 } > 100, "its text: \(finished)")
    }

    // MARK: - Audio

    /// Expects a pure tone for a time, not counting the gaps that a busy machine makes, and its
    /// frequency in a part without a gap.
    private func expectTone(
        _ samples: [Double], hertz: Double, seconds: Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let part = 4_800
        let parts = stride(from: 0, to: max(samples.count - part, 0), by: part).map {
            samples[$0..<($0 + part)]
        }
        let pure = parts.filter { part in
            let loudness = Tone.loudness(of: part)
            let amplitude = Tone.amplitude(of: hertz, in: part, rate: 48_000)
            return loudness > 1_000 && amplitude / 2.squareRoot() > 0.95 * loudness
        }
        #expect(
            Double(pure.count * part) / 48_000 >= seconds, "\(pure.count) of \(parts.count) parts",
            sourceLocation: sourceLocation)
        // PipeWire resamples it a little where its clock is another one.
        let deviations = pure.compactMap { part in
            Tone.frequency(of: part, rate: 48_000).map { abs($0 - hertz) }
        }
        #expect(
            deviations.min() ?? .infinity < hertz * 0.003, "\(deviations)",
            sourceLocation: sourceLocation)
    }

    private func samples(_ bytes: [UInt8]) -> [Double] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            Double(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
        }
    }

    @Test func `programs of PulseAudio and ALSA hear the microphone`() throws {
        let server = try PipeWireServer()
        let session = try FileSession(
            """
            microphone: { plugin: Tone, settings: { frequency: 1000, level: -12 } }
            call: { plugin: LoopbackCall, settings: { script: Ana 0s microphone=660 } }
            """,
            duration: nil,
            outputs: """
                [{ plugin: VirtualMicrophone, settings: { channels: 1 } },
                 { plugin: VirtualMicrophone,
                   settings: { name: Far, channels: 1, position: incoming } },
                 { record: recording }]
                """)
        let run = try server.greenroom(session)
        try server.waitForNode("Greenroom")
        try server.waitForNode("Far")
        let pulse = try server.start(
            "timeout",
            [
                "--preserve-status", "5", "parec", "-d", "Greenroom", "--format=s16le",
                "--rate=48000", "--channels=1", "--raw", "--latency-msec=50",
            ])
        func record(
            _ file: String, seconds: Int, from node: String = "Greenroom"
        ) throws -> ChildProcess {
            try server.start(
                "arecord",
                [
                    "-q", "-D", "pipewire:NODE=\(node)", "-f", "S16_LE", "-r", "48000", "-c", "1",
                    "-d", "\(seconds)", session.folder(file),
                ])
        }
        let far = try record("far.wav", seconds: 2, from: "Far")
        let first = try record("first.wav", seconds: 2).wait()
        #expect(far.wait().exit == .code(0))
        // Opened again, while another program has never closed it.
        let second = try record("second.wav", seconds: 1).wait()
        let heard = pulse.wait()
        #expect(first.exit == .code(0), "\(first)")
        #expect(second.exit == .code(0), "\(second)")
        try session.expectTrueReport(end(run))
        expectTone(samples(heard.standardOutput), hertz: 1_000, seconds: 0.5)
        for file in ["first.wav", "second.wav"] {
            expectTone(
                try #require(try WAVRecording(session.folder(file)).channels.first),
                hertz: 1_000, seconds: 0.5)
        }
        expectTone(
            try #require(try WAVRecording(session.folder("far.wav")).channels.first), hertz: 660,
            seconds: 0.5)
        let values = try values(session)
        #expect(values["samples-dropped"] != nil && values["samples-silent"] != nil, "\(values)")
    }

    @Test func `audio that programs play is the session's audio`() throws {
        let server = try PipeWireServer()
        let tone = try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "sine=frequency=700:duration=1:sample_rate=44100",
                "-filter:a", "volume=4", "-f", "wav", "-",
            ])
        let session = try FileSession(
            """
            microphone: { plugin: VirtualSpeaker }
            share:
              plugin: ColorBarsShare
              audio: { plugin: VirtualSpeakerShareAudio, settings: { name: Other } }
            """, duration: nil)
        let file = try session.folder.write("tone.wav", tone.standardOutput)
        let run = try server.greenroom(session)
        try server.waitForNode("Greenroom")
        try server.waitForNode("Other")
        for name in ["Greenroom", "Other"] {
            let player = try server.start("paplay", ["-d", name, file]).wait()
            #expect(player.exit == .code(0), "\(player)")
        }
        _ = end(run)
        for track in ["camera", "share"] {
            let sound = try session.sound(track)
            expectTone(try #require(sound.channels.first), hertz: 700, seconds: 0.5)
        }
    }

    // MARK: - Without PipeWire

    private static let outputs = """
        [{ plugin: VirtualCamera }, { plugin: VirtualMicrophone }, { record: recording }]
        """
    private static let sources = """
        camera: { plugin: ColorBars }
        microphone: { plugin: Tone }
        """

    @Test
    func `without PipeWire the outputs fail with the fix, and the session continues`() throws {
        let session = try FileSession(Self.sources, duration: "500ms", outputs: Self.outputs)
        let nowhere = session.folder.path
        let run = try session.run(
            [], environment: ["XDG_RUNTIME_DIR": nowhere, "PIPEWIRE_REMOTE": nil])
        // 74, an output failed, if a frame came for one.
        #expect([.code(0), .code(74)].contains(run.exit), "\(run)")
        let lines = run.standardError.split(separator: "\n").filter {
            $0.contains("\(nowhere)/pipewire-0: no PipeWire: ")
                && $0.contains("Start it (systemctl --user start pipewire wireplumber)")
        }
        #expect(lines.count >= 2, "\(run)")
        #expect(try session.picture("camera").frameCount > 0)

        let unset = try session.run(
            ["--set", "outputs[2].record.overwrite=true"],
            environment: ["XDG_RUNTIME_DIR": nil, "PIPEWIRE_REMOTE": nil])
        #expect(unset.standardError.contains("no PipeWire: XDG_RUNTIME_DIR is not set"), "\(unset)")

        let speaker = try FileSession("microphone: { plugin: VirtualSpeaker }", duration: "500ms")
        let refused = try speaker.run([], environment: ["XDG_RUNTIME_DIR": nowhere])
        #expect(refused.exit == .code(69), "\(refused)")
        #expect(
            refused.standardError.contains(
                "microphone: initialize failed (UNAVAILABLE): \(nowhere)"),
            "\(refused)")
    }

    @Test func `the devices are back when PipeWire is`() throws {
        let server = try PipeWireServer()
        let session = try FileSession(
            Self.camera + "\nmicrophone: { plugin: VirtualSpeaker, settings: { name: Loud } }",
            maximum: "640x360@30", duration: nil,
            outputs: """
                [{ plugin: VirtualCamera }, \
                { plugin: VirtualMicrophone, settings: { name: Voice } }, { record: recording }]
                """)
        let run = try server.greenroom(session)
        try server.waitForNode("Loud")
        let before = try server.frames(5, of: "Greenroom", to: session.folder("before.yuv"))
        #expect(before.wait().exit == .code(0))
        server.kill()
        #expect(
            run.waitForErrors(containing: "reconnecting every second"))
        try server.start()
        try server.waitForNode("Greenroom")
        try server.waitForNode("Loud")
        let after = try server.frames(5, of: "Greenroom", to: session.folder("after.yuv"))
            .wait()
        #expect(after.exit == .code(0), "\(after)")
        server.kill()
        // With PipeWire gone again it stops all the same.
        let finished = end(run)
        try expectBars(session.folder("before.yuv"), frames: 5)
        try expectBars(session.folder("after.yuv"), frames: 5)
        #expect(finished.standardError.contains("PipeWire is back"), "\(finished)")
        #expect(try #require(try values(session, 0)["disconnections"]) >= 1)
        #expect(try #require(try values(session, 1)["disconnections"]) >= 1)
    }

    // MARK: - In a process of its own

    @Test
    func `an isolated camera works without a sandbox, and in one fails with the fix`() throws {
        let server = try PipeWireServer()
        func session(_ more: String) throws -> FileSession {
            try FileSession(
                Self.camera, maximum: "640x360@30", duration: nil,
                outputs: """
                    [{ plugin: VirtualCamera, isolation: process, on-failure: off, \(more) }, \
                    { record: recording }]
                    """)
        }
        let free = try session("sandbox: off")
        let run = try server.greenroom(free)
        try server.waitForNode("Greenroom")
        let reader = try server.frames(3, of: "Greenroom", to: free.folder("frames.yuv"))
            .wait()
        #expect(reader.exit == .code(0), "\(reader)")
        _ = end(run)
        try expectBars(free.folder("frames.yuv"), frames: 3)

        let boxed = try session("allow: { network: true }")
        let confined = try server.greenroom(boxed)
        #expect(confined.waitForErrors(containing: "continues without it"))
        let refused = end(confined)
        #expect(refused.standardError.contains("this plugin without a sandbox"), "\(refused)")
    }
}
