import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that recordings are complete however a session ends.
@Suite(.ownThreads) struct EndTests {
    private static func sources() throws -> String {
        """
        camera: \(try TestSession.hostile("Camera"))
        microphone: \(try TestSession.hostile("Mic", "rate: 44100"))
        share: \(try TestSession.hostile("Share", "", """
            audio: \(try TestSession.hostile("ShareAudio"))
            """))
        """
    }

    /// Starts a session and waits until all its sources have sent for a while.
    private func running(_ session: TestSession) throws -> ChildProcess {
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending\n"))
        usleep(700_000)
        return child
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the session in order`(signal: Int32) throws {
        let session = try TestSession(try Self.sources(), duration: nil)
        let child = try running(session)
        child.signal(signal)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(run.standardError.contains("stopping: stop requested\n"), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "interrupted")
        #expect(report.plugins.count == 4)
        #expect(report.plugins.allSatisfy { $0.state == "destroyed" }, "\(run)")
        try session.expectUnharmed("camera", run)
        try session.expectUnharmed("share", run)

        // All four recordings end at the same time. Each has every frame due before the end, and
        // possibly the next frame, because timestamps round to the nearest period.
        let sound = try session.sound("camera")
        #expect(try session.sound("share").frameCount == sound.frameCount)
        let least = (sound.frameCount * 15 + 47_999) / 48_000
        let most = (sound.frameCount * 15 + 24_000) / 48_000 + 1
        #expect(sound.seconds > 0.3, "\(run)")
        for track in ["camera", "share"] {
            let count = try session.picture(track).frameCount
            #expect((least...most).contains(count), "\(track), \(sound.seconds) s")
        }
    }

    @Test func `a second signal exits at once`() throws {
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Hang", "where: stop-send"))
            microphone: \(try TestSession.hostile("Mic"))
            """, duration: nil, deadline: "10m")
        let child = try running(session)
        child.signal(SIGINT)
        #expect(child.waitForErrors(containing: "stopping: "))
        child.signal(SIGINT)
        // It would hang for ten minutes.
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(try session.picture("camera").frameCount > 0)
        #expect(try session.sound("camera").frameCount > 0)
        #expect(try session.report().outcome == "running")
    }

    @Test(.nightly) func `a library that hangs while loading does not block the exit`() throws {
        let library = try TestPlugins.malformed("ENDLESS_ENTRY")
        let session = try TestSession("camera: { plugin: \"\(library)\" }", duration: nil)
        // Without a cache.
        let child = try Greenroom.start(
            ["run", session.file], environment: ["XDG_CACHE_HOME": session.folder("cache")])
        // The session blocks the signal first of all: before that it ends any program.
        #expect(
            waitUntil {
                let status = (try? readFile("/proc/\(child.id)/status")) ?? []
                let blocked = String(decoding: status, as: UTF8.self).firstMatch(
                    of: /SigBlk:\s*([0-9a-f]+)/)
                let signals = blocked.flatMap { UInt64($0.1, radix: 16) } ?? 0
                return signals & 1 << UInt64(SIGINT - 1) != 0
            })
        usleep(200_000)
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(run.standardError.isEmpty, "\(run)")
        #expect(!session.folder.has("recording"))
    }

    @Test func `a killed session leaves readable files`() throws {
        let session = try TestSession(try Self.sources(), duration: nil)
        let child = try running(session)
        child.signal(SIGKILL)
        let run = child.wait()
        #expect(run.exit == .signal(SIGKILL), "\(run)")
        #expect(try session.report().outcome == "running")
        for track in ["camera", "share"] {
            let picture = try session.picture(track)
            #expect(picture.frameCount > 0, "\(track)")
            // A frame that was being written may be incomplete.
            #expect(picture.trailingBytes < 320 * 180 * 3 / 2 + 6, "\(track)")
            Quarters().expect(in: try picture.frame(picture.frameCount - 1), within: 2)
            let sound = try session.sound(track)
            #expect(sound.frameCount > 0, "\(track)")
            // And samples that are not in the header yet.
            #expect(sound.headerExcessBytes <= 0, "\(track)")
            #expect(sound.headerExcessBytes > -48_000, "\(track)")
            let stream = try #require(
                try FFProbe("\(session.recording)/\(track).wav").streams.first)
            #expect(stream.sampleRate == "48000")
        }
        #expect(try FFProbe(session.recording + "/camera.y4m").streams.first?.width == 320)
    }

    // MARK: - Outputs that fail

    /// A session whose Y4M goes through a pipe into a shell command.
    private func piped(
        _ session: TestSession, into command: String
    ) throws -> Finished {
        let script =
            "set -o pipefail; '\(Checkout.greenroom)' run '\(session.file)' | \(command)"
        return try ChildProcess.run(
            "bash", ["-c", script], environment: ["GREENROOM_PLUGIN_PATH": nil])
    }

    @Test(.nightly) func `a session ends when its only reader is gone`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera"))", duration: nil,
            outputs: "[{ y4m: \"-\" }]")
        let run = try piped(session, into: "head -c 200000 > '\(session.folder("head.y4m"))'")
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("y4m on standard output: failed: "), "\(run)")
        #expect(run.standardError.contains("stopping: every output failed"), "\(run)")
        let head = try Y4MRecording(session.folder("head.y4m"))
        #expect(head.frameCount == 2)
    }

    @Test func `a session without a working output ends with 74 and names the missing files`()
        throws
    {
        let speaker = TestSession.bundled("SpeakerFile", "path: none/m.wav")
        let lines = [
            "outputs[0]: the session continues without it",
            // At 0.0 s, unless the machine is busy.
            " s, with no result",
        ]
        for (others, code) in [("", 74), (", { record: recording }", 0)] as [(String, Int32)] {
            for clock in [nil, "virtual"] {
                let session = try TestSession(
                    "microphone: { plugin: Tone }", clock: clock, outputs: "[\(speaker)\(others)]")
                let run = try session.run()
                #expect(run.exit == .code(code), "\(run)")
                #expect(lines.allSatisfy { run.standardError.contains($0) }, "\(run)")
                #expect(
                    run.standardError.contains("every output failed") == (code == 74), "\(run)")
            }
        }
    }

    static let deadOutputs = [
        ("camera", "Command", "command: [cat], track: share", "isolation: host"),
        ("camera", "Command", "command: [no-such-program-anywhere]", "isolation: host"),
        ("camera", "Command", "command: [false]", "isolation: host"),
        ("microphone", "SpeakerFile", "path: m.wav, position: share-audio", "isolation: host"),
        ("microphone", "SpeakerFile", "path: none/m.wav", "isolation: process"),
    ]

    @Test(.nightly, arguments: deadOutputs, [nil, "virtual"])
    func `a session whose only output never works ends with 74`(
        output: (source: String, plugin: String, settings: String, more: String), clock: String?
    ) throws {
        let source = output.source == "camera" ? "ColorBars" : "Tone"
        let session = try TestSession(
            "\(output.source): { plugin: \(source) }", duration: "1500ms", clock: clock,
            outputs: "[\(TestSession.bundled(output.plugin, output.settings, output.more))]")
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("every output failed"), "\(run)")
    }

    @Test(.nightly, arguments: ["host", "process"])
    func `a session whose only output is a call that can't be had ends with 74`(
        isolation: String
    ) throws {
        // An address of another network: the room can't listen there.
        let room =
            "plugin: WebRoom, settings: { address: 192.0.2.1, viewer-token: 0123456789abcdef }"
        for (sources, text) in [
            ("camera: { plugin: ColorBars }", "every output failed"), ("", "failed"),
        ] {
            let session = try TestSession(
                "\(sources)\ncall: { \(room), isolation: \(isolation), on-failure: off }",
                duration: "1s", isolation: nil, outputs: "[]")
            let run = try session.run()
            #expect(run.exit == .code(74), "\(run)")
            #expect(run.standardError.contains(text), "\(run)")
        }
    }

    @Test(.nightly) func `a command that fails at its end has failed`() throws {
        let failing = TestSession.bundled("Command", "command: [sh, -c, cat > /dev/null; exit 3]")
        for (others, code) in [("", 74), (", { record: recording }", 0)] as [(String, Int32)] {
            let session = try TestSession(
                "camera: { plugin: ColorBars }", clock: "virtual", outputs: "[\(failing)\(others)]")
            let run = try session.run()
            #expect(run.exit == .code(code), "\(run)")
            let lines = run.standardError.split(separator: "\n").filter {
                $0.contains("exit code 3")
            }
            // When it ends, and in the summary.
            #expect(lines.count == 2, "\(run)")
        }
    }

    @Test(arguments: ["host", "process"])
    func `a wrong setting ends the start at once, with its place and its fix`(
        isolation: String
    ) throws {
        let wrong = [
            (
                "camera: { plugin: ColorBars }",
                "{ plugin: SpeakerFile, settings: { path: a.mp3 },", 11
            ),
            (
                "camera: { plugin: ColorBars }",
                "{ plugin: Command, settings: { command: cat -n },", 11
            ),
        ]
        for (sources, output, line) in wrong {
            let session = try TestSession(
                "\(sources)\nmicrophone: { plugin: Tone }", duration: "20s",
                outputs: "[{ record: recording }, \(output) isolation: \(isolation) }]")
            let run = try session.run()
            #expect(run.exit == .code(65), "\(run)")
            let place = "session.yaml:\(line):"
            #expect(run.standardError.contains(place), "\(run)")
            #expect(run.standardError.contains("outputs[1].settings"), "\(run)")
            #expect(!run.standardError.contains("started again"), "\(run)")
        }
    }

    @Test(.nightly) func `a recording that fails at its first piece is not said to be recorded`()
        throws
    {
        // A limit of the file size simulates a disk with room for a header alone.
        let session = try TestSession(
            "camera: { plugin: ColorBars }", maximum: "640x360@30", duration: "3s",
            outputs: "[{ record: talk.mp4 }]")
        let script =
            "g='\(Checkout.greenroom)'; \"$g\" check '\(session.file)' > /dev/null; "
            + "trap '' XFSZ; ulimit -f 4; exec \"$g\" run '\(session.file)'"
        let run = try ChildProcess.run(
            "bash", ["-c", script],
            environment: ["GREENROOM_PLUGIN_PATH": nil, "XDG_CACHE_HOME": session.folder("cache")])
        #expect(run.exit == .code(74), "\(run)")
        #expect(!run.standardError.contains("recorded in"), "\(run)")
        #expect(run.standardError.contains("with no result"), "\(run)")
    }

    @Test(.nightly) func `a file that was never made is not said to be recorded`() throws {
        let session = try TestSession(
            "camera: { plugin: ColorBars }", clock: "virtual",
            outputs: "[{ record: /proc/none/talk.mkv }, { record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "the other recording is there: \(run)")
        #expect(!run.standardError.contains("recorded in /proc/none/talk.mkv"), "\(run)")
        #expect(run.standardError.contains("recorded in \(session.recording)"), "\(run)")
        let last = run.standardError.split(separator: "\n").last ?? ""
        #expect(
            last.hasPrefix("outputs[0] (Recorder) failed at 0.0 s, with no result: /proc/none"),
            "\(run)")
    }

    @Test(.nightly) func `a recording continues when a pipe's reader is gone`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera"))",
            duration: "3s", outputs: "[{ y4m: \"-\" }, { record: recording }]")
        let run = try piped(session, into: "head -c 100000 > /dev/null")
        #expect(run.exit == .code(74), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(report.outcome == "finished")
        #expect(try session.picture("camera").frameCount == 45)
        try session.expectUnharmed("camera", run)
        let piped = try #require(try report.picture("camera").outputs.first)
        #expect(piped.failure != nil && piped.failed > 0, "\(piped)")
    }

    @Test(.nightly) func `other programs can read the pipe`() throws {
        let session = try TestSession(
            "camera: \(TestSession.bundled("ColorBars"))", duration: "3s",
            outputs: "[{ y4m: \"-\" }]")
        let run = try piped(
            session, into: "ffprobe -v warning -count_frames -show_streams -of json -i -")
        #expect(run.exit == .code(0), "\(run)")
        let stream = try #require(try FFProbe(json: run.standardOutput).streams.first)
        #expect(stream.width == 320 && stream.height == 180)
        #expect(stream.frameCount == "45" && stream.frameRate == "15/1")

        let again = try piped(
            session,
            into: "ffmpeg -v error -i - -vf scale=640x360 -f yuv4mpegpipe "
                + "'\(session.folder("scaled.y4m"))'")
        #expect(again.exit == .code(0), "\(again)")
        let scaled = try Y4MRecording(session.folder("scaled.y4m"))
        #expect(scaled.frameCount == 45 && scaled.width == 640)
        #expect(BurntInCode(try scaled.frame(44)) != nil)
    }

    @Test func `only frames go to standard output`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera"))", duration: "400ms", clock: "virtual",
            outputs: "[{ y4m: { track: camera, fps: 10 } }, { record: recording }]")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let file = try session.folder.write("out.y4m", run.standardOutput)
        let piped = try Y4MRecording(file)
        #expect(piped.frameCount == 4 && piped.trailingBytes == 0)
        #expect(run.standardError.hasPrefix("{"), "events go to standard error")
    }

    @Test func `a plugin's prints in the host process do not reach standard output`() throws {
        let camera = try TestSession.hostile("Faulty", "fault: print, frames: 2")
        for (outputs, arguments) in [
            ("[{ y4m: \"-\" }]", []), ("[{ record: recording }]", ["--json"]),
        ] {
            let session = try TestSession(
                "camera: \(camera)", duration: "400ms", clock: "virtual", outputs: outputs)
            let run = try session.run(arguments)
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.standardError.contains("the lens is clean\nand dry\n"), "\(run)")
            if arguments.isEmpty {
                let file = try session.folder.write("out.y4m", run.standardOutput)
                let piped = try Y4MRecording(file)
                #expect(piped.frameCount == 6 && piped.trailingBytes == 0)
            } else {
                #expect(try run.events.last?.event == "ended", "\(run)")
            }
        }
        // The library prints when it is loaded.
        let loading = TestSession.library(try TestPlugins.loading("print", in: "CONSTRUCTOR"))
        let session = try TestSession("camera: \(loading)")
        let check = try Greenroom.start(["check", "--json", session.file]).wait()
        #expect(check.exit == .code(69), "its create fails: \(check)")
        let plan = try JSONSerialization.jsonObject(with: Data(check.standardOutput))
        #expect((plan as? [String: Any])?["session"] != nil, "\(check)")
        #expect(check.standardError.contains("I have a camera"), "\(check)")
    }

    @Test func `a full disk is reported, and the file stays readable`() throws {
        // A limit of the file size simulates a full disk: 200 KiB are three frames, and a second of
        // audio.
        let session = try TestSession(
            """
            camera: \(try TestSession.hostile("Camera"))
            microphone: \(try TestSession.hostile("Mic"))
            """, duration: "2s")
        let script =
            "g='\(Checkout.greenroom)'; \"$g\" check '\(session.file)' > /dev/null; "
            + "ulimit -f 200; exec \"$g\" run '\(session.file)'"
        // The plugins are scanned first: that needs a file in memory.
        let run = try ChildProcess.run(
            "bash", ["-c", script],
            environment: ["GREENROOM_PLUGIN_PATH": nil, "XDG_CACHE_HOME": session.folder("cache")])
        #expect(run.exit == .code(74), "\(run)")
        let told = run.standardError.split(separator: "\n").filter { $0.contains(": failed: ") }
        #expect(told.count == 2, "picture and sound, each once:\n\(run)")
        let picture = try session.picture("camera")
        #expect(picture.frameCount == 2 && picture.trailingBytes == 0)
        let sound = try session.sound("camera")
        #expect(sound.headerExcessBytes == 0 && sound.frameCount > 40_000)
        let report = try session.report()
        #expect(try report.picture("camera").outputs[0].failure != nil)
        #expect(report.audioFiles.first?.failure != nil)
    }

    // MARK: - Outputs that can't be opened

    @Test(.nightly) func `an existing recording is only overwritten with overwrite: true`() throws {
        let sources = "camera: \(try TestSession.hostile("Camera"))"
        let session = try TestSession(sources, duration: "200ms", clock: "virtual")
        #expect(try session.run().exit == .code(0))
        let before = try readFile(session.recording + "/camera.y4m")
        let again = try session.run()
        #expect(again.exit == .code(74), "\(again)")
        #expect(again.standardError.contains("/recording/"), "\(again)")
        #expect(again.standardError.contains("overwrite: true"), "the cure:\n\(again)")
        #expect(try readFile(session.recording + "/camera.y4m") == before)
        let third = try session.run(
            "--set", "outputs=[{record: {folder: recording, overwrite: true}}]", "--duration",
            "400ms")
        #expect(third.exit == .code(0), "\(third)")
        #expect(try session.picture("camera").frameCount == 6)
    }

    @Test(.nightly) func `a folder that can't be created is reported`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera"))", outputs: "[{ record: file/in }]")
        try session.folder.write("file", "not a folder")
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("/file/in"), "\(run)")
        #expect(run.standardError.contains("Not a directory"), "\(run)")
    }

    @Test(.nightly) func `Y4M of a missing track is reported`() throws {
        let session = try TestSession(
            "camera: \(try TestSession.hostile("Camera"))",
            outputs: "[{ y4m: { track: share } }]")
        let run = try session.run()
        #expect(run.exit == .code(65) || run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("share"), "\(run)")
    }
}
