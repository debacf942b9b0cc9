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
    static func output(
        _ command: [String], _ settings: String = "", _ more: String = ""
    ) -> String {
        let words = command.map { "'\($0)'" }.joined(separator: ", ")
        return FileSession.bundled("Command", "command: [\(words)], \(settings)", more)
    }

    func session(
        _ outputs: [String], duration: String = "2s", clock: String? = "virtual",
        isolation: String? = nil
    ) throws -> FileSession {
        try FileSession(
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

    @Test func `a command that ends is restarted, and the restart is counted`() throws {
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
}
