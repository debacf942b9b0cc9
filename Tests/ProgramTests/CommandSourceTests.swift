import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled sources `Command`, with real commands, and of how a command ends.
@Suite(.ownThreads) struct CommandSourceTests {
    private static func list(_ command: [String]) -> String {
        "[\(command.map { "'\($0)'" }.joined(separator: ", "))]"
    }

    private static func source(_ key: String, _ command: [String], _ more: String = "") -> String {
        "\(key): \(TestSession.bundled("Command", "command: \(list(command))", more))"
    }

    /// Y4M of frames that differ, as a file.
    private func film(_ folder: TemporaryFolder, frames: Int = 10, options: [String] = []) throws
        -> String
    {
        let path = folder("film.y4m")
        let made = try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=15"] + options
                + ["-frames:v", "\(frames)", "-pix_fmt", "yuv420p", path])
        try #require(made.exit == .code(0), "\(made)")
        return path
    }

    @Test func `a camera, a microphone, a share and its audio are commands`() throws {
        let folder = try TemporaryFolder()
        let film = try film(folder)
        let tone = { (hertz: Int, format: [String]) in
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=\(hertz)"] + format
                + ["-"]
        }
        let plain = tone(500, ["-ar", "16000", "-ac", "1", "-f", "s16le"])
        let session = try TestSession(
            """
            \(Self.source("camera", ["ffmpeg", "-v", "error", "-i", film, "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-"]))
            \(Self.source("microphone", tone(1000, ["-f", "wav"])))
            share:
              plugin: Command
              settings: { path: '\(film)' }
              audio: \(TestSession.bundled("Command", "command: \(Self.list(plain)), rate: 16000, channels: 1"))
            """, maximum: "160x90@15", duration: "600ms", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let original = try Y4MRecording(film)
        for track in ["camera", "share"] {
            let shown = try session.picture(track)
            #expect(shown.frameCount == 9, "\(run)")
            for index in 0..<9 {
                #expect(try shown.frame(index).y == original.frame(index).y, "\(track) \(index)")
            }
        }
        for (track, hertz) in [("camera", 1000.0), ("share", 500.0)] {
            let sound = try session.sound(track)
            let samples = sound.channels[0].dropFirst(9600)
            #expect(Tone.amplitude(of: hertz, in: samples, rate: 48_000) > 0.1, "\(track)\n\(run)")
        }
    }

    @Test(.nightly) func `a camera's command is restarted, and the host never takes it for silent`()
        throws
    {
        let folder = try TemporaryFolder()
        let film = try film(folder, frames: 5)
        let session = try TestSession(
            Self.source("camera", ["sh", "-c", "echo begun >&2; cat \"\(film)\"; exit 3"]),
            maximum: "160x90@15", duration: "5s", clock: "virtual")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let log = run.standardError
        // At 0 s, and 0.5, 1 and 2 s after each end.
        #expect(log.components(separatedBy: "sh: begun").count == 5, "\(run)")
        for pause in ["0.5", "1.0", "2.0"] {
            #expect(
                log.contains("sh: ended with exit code 3; restarting in \(pause) s"), "\(run)")
        }
        let shown = try session.picture("camera")
        let first = try Y4MRecording(film).frame(0).y
        let begins = try (0..<shown.frameCount).filter { try shown.frame($0).y == first }
        #expect(begins.count == 4, "\(begins)\n\(run)")
        // The last frame stays until the next one.
        let last = try Y4MRecording(film).frame(4).y
        for begin in begins.dropFirst() {
            #expect(try shown.frame(begin - 1).y == last, "\(begins)")
            #expect(try shown.frame(begin - 4).y == last, "\(begins)")
        }
    }

    @Test(.nightly) func `the log hides the password of an address that a command prints`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let film = try film(folder, frames: 15)
        let script = "echo rtsp://ana:geheim@camera/door: refused >&2; cat \"\(film)\"; sleep 9"
        let run = try TestSession(
            Self.source("camera", ["sh", "-c", script]), maximum: "160x90@15", duration: "1s",
            clock: "virtual"
        ).run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(
            run.standardError.contains("sh: rtsp://**********@camera/door: refused"), "\(run)")
    }

    @Test(.nightly) func `a named pipe is a camera in a sandboxed process`() throws {
        let folder = try TemporaryFolder()
        let film = try film(folder, frames: 15)
        let pipe = folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let session = try TestSession(
            "camera: \(TestSession.bundled("Command", "path: '\(pipe)'", "isolation: process"))",
            maximum: "160x90@15", duration: "1s", clock: "virtual")
        let child = try session.start()
        let writer = try ChildProcess.run("sh", ["-c", "cat \"\(film)\" > \"\(pipe)\""])
        let run = child.wait()
        #expect(writer.exit == .code(0), "\(writer)")
        #expect(run.exit == .code(0), "\(run)")
        let (shown, original) = (try session.picture("camera"), try Y4MRecording(film))
        #expect(try shown.frame(14).y == original.frame(14).y, "\(run)")
    }

    @Test(
        .nightly,
        arguments: [
            (
                "cat /proc/self/maps",
                "the stream is not 8-bit 4:2:0 Y4M: a Y4M file begins with YUV4MPEG2"
            ),
            (
                "printf \"YUV4MPEG2 W4 H4 F5:1 C444\\n\"; sleep 9",
                "-pix_fmt yuv420p -f yuv4mpegpipe -"
            ),
            ("printf YUV4; sleep 9", "its Y4M header does not end"),
        ])
    func `a stream that is not Y4M is an error with its fix`(script: String, text: String) throws {
        let session = try TestSession(
            Self.source("camera", ["sh", "-c", script]), maximum: "160x90@15", duration: "1s",
            clock: "virtual")
        let run = try session.run()
        #expect(run.exit != .code(0), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    @Test(arguments: [
        ("", "neither a command nor a path"),
        ("command: [cat], path: x", "are both set; remove one"),
        ("command: 'cat x'", "Write a list: command: [cat, x]"),
        ("command: [no-such-program-anywhere]", "no such program; install it"),
        ("path: /no/such/pipe", "cannot open it: No such file or directory"),
    ])
    func `a file that can't be played is an error with its fix`(settings: String, text: String)
        throws
    {
        for key in ["camera", "microphone"] {
            let session = try TestSession(
                "\(key): \(TestSession.bundled("Command", settings))", duration: "1s",
                clock: "virtual", outputs: "[{ record: recording }]")
            let run = try session.run()
            #expect(run.exit != .code(0), "\(run)")
            #expect(run.standardError.contains(text), "\(run)")
        }
    }

    @Test(.nightly, arguments: ["camera", "microphone", "output"])
    func `a command and its children end with a host that is killed`(place: String) throws {
        let folder = try TemporaryFolder()
        let (pipe, film) = (folder("alive"), try film(folder, frames: 5))
        try #require(mkfifo(pipe, 0o600) == 0)
        // Both hold the pipe open; neither reads its standard input, and SIGTERM ends none of them.
        let script =
            "trap \"\" TERM HUP; exec 9> \"\(pipe)\"; echo alive >&9; sleep 1000 & cat \"\(film)\"; sleep 1000"
        let command = ["sh", "-c", script]
        let session = try TestSession(
            place == "output" ? "camera: { plugin: ColorBars }" : Self.source(place, command),
            maximum: "160x90@15", duration: nil,
            outputs: place == "output"
                ? "[\(TestSession.bundled("Command", "command: \(Self.list(command))"))]"
                : "[{ record: recording }]")
        let child = try session.start()
        let reading = open(pipe, O_RDONLY | O_CLOEXEC)
        try #require(reading >= 0)
        defer { close(reading) }
        var bytes = [UInt8](repeating: 0, count: 16)
        #expect(read(reading, &bytes, 6) == 6)
        child.signal(SIGKILL)
        // The end of the pipe: no process has it open.
        #expect(read(reading, &bytes, 16) == 0)
        #expect(child.wait().exit == .signal(SIGKILL))
    }
}
