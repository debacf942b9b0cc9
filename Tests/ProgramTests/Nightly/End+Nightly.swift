import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension EndTests {
    @Test func `a library that hangs while loading does not block the exit`() throws {
        let library = try TestPlugins.malformed("ENDLESS_ENTRY")
        let session = try FileSession("camera: { plugin: \"\(library)\" }", duration: nil)
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

    @Test func `a session ends when its only reader is gone`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))", duration: nil,
            outputs: "[{ y4m: \"-\" }]")
        let run = try piped(session, into: "head -c 200000 > '\(session.folder("head.y4m"))'")
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("y4m on standard output: failed: "), "\(run)")
        #expect(run.standardError.contains("stopping: every output failed"), "\(run)")
        let head = try Y4MRecording(session.folder("head.y4m"))
        #expect(head.frameCount == 2)
    }

    @Test(arguments: deadOutputs, [nil, "virtual"])
    func `a session whose only output never works ends with 74`(
        output: (source: String, plugin: String, settings: String, more: String), clock: String?
    ) throws {
        let source = output.source == "camera" ? "ColorBars" : "Tone"
        let session = try FileSession(
            "\(output.source): { plugin: \(source) }", duration: "1500ms", clock: clock,
            outputs: "[\(FileSession.bundled(output.plugin, output.settings, output.more))]")
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("every output failed"), "\(run)")
    }

    @Test(arguments: ["host", "process"])
    func `a session whose only output is a call that cannot start ends with 74`(
        isolation: String
    ) throws {
        // An address of another network: the room can't listen there.
        let room =
            "plugin: WebRoom, settings: { address: 192.0.2.1, viewer-token: 0123456789abcdef }"
        for (sources, text) in [
            ("camera: { plugin: ColorBars }", "every output failed"), ("", "failed"),
        ] {
            let session = try FileSession(
                "\(sources)\ncall: { \(room), isolation: \(isolation), on-failure: off }",
                duration: "1s", isolation: nil, outputs: "[]")
            let run = try session.run()
            #expect(run.exit == .code(74), "\(run)")
            #expect(run.standardError.contains(text), "\(run)")
        }
    }

    @Test func `an output command that exits with an error counts as failed`() throws {
        let failing = FileSession.bundled("Command", "command: [sh, -c, cat > /dev/null; exit 3]")
        for (others, code) in [("", 74), (", { record: recording }", 0)] as [(String, Int32)] {
            let session = try FileSession(
                "camera: { plugin: ColorBars }", clock: "virtual", outputs: "[\(failing)\(others)]")
            let run = try session.run()
            #expect(run.exit == .code(code), "\(run)")
            let lines = run.standardError.split(separator: "\n").filter {
                $0.contains("exit code 3")
            }
            // One at the end of the command, one in the summary.
            #expect(lines.count == 2, "\(run)")
        }
    }

    @Test func `a recording that fails at its first write is not reported as recorded`()
        throws
    {
        // A limit of the file size simulates a disk with room for only a header.
        let session = try FileSession(
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

    @Test func `a file that was never made is not reported as recorded`() throws {
        let session = try FileSession(
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

    @Test func `a recording continues when a pipe's reader is gone`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))",
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

    @Test func `ffprobe and ffmpeg can read the session's Y4M pipe`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))", duration: "3s",
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

    @Test func `an existing recording is only overwritten with overwrite: true`() throws {
        let sources = "camera: \(try FileSession.hostile("Camera"))"
        let session = try FileSession(sources, duration: "200ms", clock: "virtual")
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

    @Test func `a folder that can't be created is reported`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))", outputs: "[{ record: file/in }]")
        try session.folder.write("file", "not a folder")
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("/file/in"), "\(run)")
        #expect(run.standardError.contains("Not a directory"), "\(run)")
    }

    @Test func `Y4M of a missing track is reported`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))",
            outputs: "[{ y4m: { track: share } }]")
        let run = try session.run()
        #expect(run.exit == .code(65) || run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("share"), "\(run)")
    }

    static let deadOutputs = [
        ("camera", "Command", "command: [cat], track: share", "isolation: host"),
        ("camera", "Command", "command: [no-such-program-anywhere]", "isolation: host"),
        ("camera", "Command", "command: [false]", "isolation: host"),
        ("microphone", "SpeakerFile", "path: m.wav, position: share-audio", "isolation: host"),
        ("microphone", "SpeakerFile", "path: none/m.wav", "isolation: process"),
    ]
}
