import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the bundled sources `Command`, with real commands, and of how a command ends.
@Suite(.ownThreads) struct CommandSourceTests {
    static func list(_ command: [String]) -> String {
        "[\(command.map { "'\($0)'" }.joined(separator: ", "))]"
    }

    static func source(_ key: String, _ command: [String], _ more: String = "") -> String {
        "\(key): \(FileSession.bundled("Command", "command: \(list(command))", more))"
    }

    /// Y4M of frames that differ, as a file.
    func film(_ folder: TemporaryFolder, frames: Int = 10, options: [String] = []) throws
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

    @Test func `commands can be the camera, the microphone, the share and its audio`() throws {
        let folder = try TemporaryFolder()
        let film = try film(folder)
        let tone = { (hertz: Int, format: [String]) in
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=\(hertz)"] + format
                + ["-"]
        }
        let plain = tone(500, ["-ar", "16000", "-ac", "1", "-f", "s16le"])
        let session = try FileSession(
            """
            \(Self.source("camera", ["ffmpeg", "-v", "error", "-i", film, "-pix_fmt", "yuv420p", "-f", "yuv4mpegpipe", "-"]))
            \(Self.source("microphone", tone(1000, ["-f", "wav"])))
            share:
              plugin: Command
              settings: { path: '\(film)' }
              audio: \(FileSession.bundled("Command", "command: \(Self.list(plain)), rate: 16000, channels: 1"))
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
            let session = try FileSession(
                "\(key): \(FileSession.bundled("Command", settings))", duration: "1s",
                clock: "virtual", outputs: "[{ record: recording }]")
            let run = try session.run()
            #expect(run.exit != .code(0), "\(run)")
            #expect(run.standardError.contains(text), "\(run)")
        }
    }
}
