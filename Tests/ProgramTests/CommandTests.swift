import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled output `Command`, with real commands.
@Suite(.ownThreads) struct CommandTests {
    private static let sources = """
        camera: { plugin: ColorBars }
        microphone: { plugin: Tone }
        """

    /// An output: a command, with its settings and other keys.
    private static func output(
        _ command: [String], _ settings: String = "", _ more: String = ""
    ) -> String {
        let words = command.map { "'\($0)'" }.joined(separator: ", ")
        return TestSession.bundled("Command", "command: [\(words)], \(settings)", more)
    }

    private func session(
        _ outputs: [String], duration: String = "2s", clock: String? = "virtual",
        isolation: String? = nil
    ) throws -> TestSession {
        try TestSession(
            Self.sources, maximum: "160x90@15", duration: duration, clock: clock,
            isolation: isolation,
            outputs: "[\((outputs + ["{ record: recording }"]).joined(separator: ", "))]")
    }

    @Test func `ffmpeg gets every frame and sample`() throws {
        let folder = try TemporaryFolder()
        let (video, audio) = (folder("a.mkv"), folder("a.wav"))
        let ffmpeg = ["ffmpeg", "-v", "warning", "-y"]
        let session = try session([
            Self.output(ffmpeg + ["-i", "-", "-c:v", "ffv1", video]),
            Self.output(
                ffmpeg + ["-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "-", audio],
                "track: mix, rate: 16000, channels: 1"),
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let probe = try ChildProcess.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-show_entries",
                "stream=width,height,avg_frame_rate,nb_read_frames", "-of", "csv=p=0", video,
            ])
        #expect(probe.text.contains("160,90,15/1,30"), "\(probe.text)\n\(run)")
        #expect(try WAVRecording(audio).frameCount == 32_000, "\(run)")
        #expect(run.standardError.contains("restarts 0"), "\(run)")
        // The command gets the frames of the recording.
        let decoded = folder("a.y4m")
        let decoding = try ChildProcess.run("ffmpeg", ["-v", "error", "-i", video, decoded])
        #expect(decoding.exit == .code(0), "\(decoding)")
        let (ours, theirs) = (try session.picture("camera"), try Y4MRecording(decoded))
        for index in [0, 17, 29] {
            #expect(try theirs.frame(index).y == ours.frame(index).y, "frame \(index)")
        }
    }

    @Test func `a command that ends is started again, and counted`() throws {
        let session = try session(
            [
                Self.output([
                    "sh", "-c", "echo \"hello from the command\" >&2; exec head -c 1 > /dev/null",
                ])
            ], duration: "6s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let hellos = run.standardError.components(separatedBy: "sh: hello from the command").count
        #expect(hellos >= 3, "\(run)")
        #expect(
            run.standardError.contains("sh ended with exit code 0; restarting in 0.5 s"),
            "\(run)")
        #expect(run.standardError.contains(/restarts [1-9]/), "\(run)")
        #expect(run.standardError.contains(/frames-lost [1-9]/), "\(run)")
    }

    @Test(.nightly) func `a command that starts slowly loses nothing on the virtual clock`() throws
    {
        let folder = try TemporaryFolder()
        let session = try session([
            Self.output(["sh", "-c", "sleep 0.4; exec cat > \"$0\"", folder("a.y4m")])
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(try Y4MRecording(folder("a.y4m")).frameCount == 30, "\(run)")
        #expect(run.standardError.contains("frames-lost 0"), "\(run)")
    }

    @Test(.nightly) func `frames that a command has not read are lost`() throws {
        let session = try session([
            Self.output(["true"], "track: mix, rate: 16000, channels: 1")
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("samples-lost 32000"), "\(run)")
    }

    @Test(.nightly) func `empty arguments stay`() throws {
        let folder = try TemporaryFolder()
        let print = "printf \"%s|\" \"$@\" > \"$0\"; exec cat > /dev/null"
        let session = try session([
            Self.output(["sh", "-c", print, folder("words"), "", "a", ""])
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(String(decoding: try readFile(folder("words")), as: UTF8.self) == "|a||")
    }

    @Test(.nightly) func `a process that a command leaves behind does not hold up the end`() throws
    {
        let folder = try TemporaryFolder()
        let noise = "echo noise >&2; touch begun; while echo noise >&2; do :; done"
        let session = try session([
            Self.output([
                "sh", "-c",
                "cd \"\(folder.path)\"; setsid sh -c \"\(noise)\" & "
                    + "while [ ! -e begun ]; do sleep 0.01; done; exec cat > /dev/null",
            ])
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("sh: noise"), "\(run)")
    }

    @Test(.nightly) func `a command that does not read loses frames, stalls nothing and is killed`()
        throws
    {
        let folder = try TemporaryFolder()
        let session = try session(
            [
                Self.output([
                    "sh", "-c",
                    "trap \"\" TERM; echo $$ > \"\(folder("pid"))\"; sleep 300; sleep 300",
                ])
            ], duration: "2s", clock: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("sh did not end after its input"), "\(run)")
        #expect(run.standardError.contains(/frames-lost [1-9]/), "\(run)")
        try session.expectTrueReport(run)
        #expect(try session.picture("camera").frameCount >= 29, "the recording is whole: \(run)")
        let pid = try #require(
            Int32(
                String(decoding: try readFile(folder("pid")), as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        // Those that it left are reaped by another process.
        let isGone = waitUntil { kill(-pid, 0) == -1 && errno == ESRCH }
        #expect(isGone, "nothing of its group is left")
    }

    @Test(
        .nightly,
        arguments: [
            ("no-such-program-anywhere", "", "no such program; install it"),
            ("/etc/passwd", "", "not executable; correct 'command'"),
            (
                "cat", "isolation: process",
                "the sandbox lets a plugin start no program; set isolation: host, or sandbox: off"
            ),
        ])
    func `a command that can't be started is an error with its fix`(
        program: String, more: String, text: String
    ) throws {
        let ending = more.isEmpty ? "on-failure: end" : "\(more), on-failure: end"
        let session = try session([Self.output([program], "", ending)])
        let run = try session.run()
        #expect(run.exit != .code(0), "\(run)")
        #expect(run.standardError.contains(text), "\(run)")
    }

    @Test(.nightly) func `it runs in a separate process without a sandbox`() throws {
        let folder = try TemporaryFolder()
        let session = try session([
            Self.output(
                ["tee", folder("a.y4m")], "", "isolation: process, sandbox: off")
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(try Y4MRecording(folder("a.y4m")).frameCount == 30, "\(run)")
    }

    @Test(.nightly) func `a track that is not there is an error with its fix`() throws {
        let session = try session([
            Self.output(["cat"], "track: share", "on-failure: end")
        ])
        let run = try session.run()
        #expect(run.exit == .code(74) || run.exit == .code(69), "\(run)")
        #expect(run.standardError.contains("the session has no share for this output"), "\(run)")
    }
}
