import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that what the bundled output `Recorder` writes can be played, and is complete.
@Suite(.ownThreads) struct RecorderTests {
    static let sources = """
        camera: { plugin: ColorBars }
        microphone: { plugin: Tone }
        share: { plugin: ColorBarsShare, audio: { plugin: ToneShareAudio } }
        """

    /// An output: the plugin, with its settings and other keys.
    static func output(_ settings: String, _ more: String = "") -> String {
        FileSession.bundled("Recorder", settings, more)
    }

    func session(
        _ outputs: [String], _ sources: String = sources, maximum: String = "160x90@15",
        duration: String? = "3s", clock: String? = "virtual",
        timeline: [String] = [], isolation: String? = nil
    ) throws -> FileSession {
        try FileSession(
            sources, maximum: maximum, duration: duration, clock: clock,
            timeline: timeline, isolation: isolation,
            outputs: "[\(outputs.joined(separator: ", "))]")
    }

    func run(_ session: FileSession) throws -> Finished {
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        return run
    }

    @Test func `two runs and a separate process write the same bytes`() throws {
        let names = ["a.mkv", "a.mp4"]
        let sessions = try [nil, nil, "process"].map { isolation in
            let session = try session(
                names.map { name in
                    Self.output(
                        "file: \(name)",
                        isolation == nil ? "" : "isolation: process, allow: { write: [.] }")
                }, duration: "2s")
            _ = try self.run(session)
            return session
        }
        for name in names {
            let files = try sessions.map { try readFile($0.folder(name)) }
            #expect(files[0].count > 10_000)
            #expect(files[0] == files[1], "\(name): two runs")
            #expect(files[0] == files[2], "\(name): in a separate process")
        }
    }

    @Test func `a command stops a recording, and starts it in another file`() throws {
        let session = try session(
            [Self.output("file: a.mkv"), "record: { file: b.mp4, recording: false }"],
            duration: "8s",
            timeline: [
                "at: 2s, set: \"outputs[0].settings.recording=false\"",
                "at: 3s, set: \"outputs[1].settings.recording=true\"",
                "at: 5s, set: \"outputs[0].settings.recording=true\"",
            ])
        let run = try self.run(session)
        for (name, seconds) in [("a.mkv", 2.0), ("a-2.mkv", 3), ("b.mp4", 5)] {
            let file = try RecordedFile(session.folder(name))
            #expect(file.streams.map(\.name) == ["camera", "share", "mix"], "\(name)\n\(run)")
            for stream in file.streams {
                // The media come when the host has asked the output what it wants.
                let length = stream.end - (stream.times.first ?? 0)
                #expect((seconds - 0.3...seconds + 0.2).contains(length), "\(name): \(length)")
            }
            let begin = file.streams.compactMap(\.times.first).min() ?? 1
            #expect(begin < 0.05, "\(name): nothing before \(begin)")
            try file.play()
        }
        #expect(run.standardError.contains("files 2, seconds 5"), "\(run)")
    }

    @Test func `a pause is left out of the file, and recording resumes with a key frame`() throws {
        let session = try session(
            [Self.output("file: a.mkv"), Self.output("file: b.mp4, audio: opus")], duration: "6s",
            timeline: [
                "at: 1370ms, do: recording pause", "at: 2810ms, do: recording resume",
                "at: 4s, do: recording pause", "at: 4500ms, do: recording resume",
            ])
        let run = try self.run(session)
        // Whole frames of 15 a second: 22 and 8.
        let seconds = 6 - 30.0 / 15
        for name in ["a.mkv", "b.mp4"] {
            let file = try RecordedFile(session.folder(name))
            for video in file.streams.prefix(2) {
                #expect(video.times.count == 60, "\(name)\n\(run)")
                #expect(abs(video.end - seconds) < 0.002, "\(name): \(video.end)")
                for (time, next) in zip(video.times, video.times.dropFirst()) {
                    #expect(abs(next - time - 1.0 / 15) < 0.002, "\(name) at \(time)")
                }
            }
            // The frames after the pauses: the first one at or after 1.37 s, and at 2.56 s.
            let keys = try Self.keyFrames(of: session.folder(name))
            for time in [1.4, 2.5333] {
                #expect(keys.contains { abs($0 - time) < 0.002 }, "\(name): \(keys)")
            }
            #expect(abs(file.streams[2].end - seconds) < 0.030, "\(name)")
            try file.play()
        }
        #expect(run.standardError.contains("pauses 2, seconds 4"), "\(run)")
    }

    @Test func `a replay has the last seconds up to the command, and replaces nothing`() throws {
        let session = try session(
            [Self.output("file: a.mkv, replay-seconds: 5"), Self.output("file: b.mkv")],
            duration: "16s",
            timeline: [
                "at: 2s, do: replay save", "at: 9s, do: recording pause",
                "at: 11s, do: recording resume", "at: 14s, do: replay save",
            ])
        try session.folder.write("a.mkv", "something")
        let run = try self.run(session)
        #expect(try readFile(session.folder("a.mkv")) == Array("something".utf8))
        // Up to 4 s more, for the key frame; the recorder takes cells of 250 ms.
        for (name, seconds) in [("a-2.mkv", 2.0...2.5), ("a-3.mkv", 5...9.5)] {
            let file = try RecordedFile(session.folder(name))
            #expect(file.streams.map(\.name) == ["camera", "share", "mix"], "\(name)\n\(run)")
            for stream in file.streams {
                #expect(abs(stream.times[0]) < 0.3, "\(name): \(stream.times[0])")
                #expect(seconds.contains(stream.end), "\(name): \(stream.end)")
            }
            for (time, next) in zip(file.streams[0].times, file.streams[0].times.dropFirst()) {
                #expect(abs(next - time - 1.0 / 15) < 0.002, "\(name) at \(time)")
            }
            #expect(try Self.keyFrames(of: session.folder(name)).first ?? 1 < 0.3)
            try file.play()
        }
        #expect(!session.folder.has("a-4.mkv"))
        #expect(
            run.standardError.contains("replay saved in \(session.folder("a-3.mkv"))"), "\(run)")
        // Both replays are in the report, which is beside the first output's file.
        let values = try Report(session.folder("a.report.json")).outputPlugins?[0].values ?? [:]
        let bytes = try ["a-2.mkv", "a-3.mkv"].map { try readFile(session.folder($0)).count }
        #expect(values["bytes-written"] == Double(bytes[0] + bytes[1]), "\(run)")
        #expect(values["files"] == 2, "\(run)")
        // Beside it, a recording has everything but the pause.
        #expect(abs(try RecordedFile(session.folder("b.mkv")).streams[0].end - 14) < 0.002)
    }

    @Test func `a replay that is too short or has segments is a wrong setting`() throws {
        for (settings, text) in [
            ("replay-seconds: 4", "replay-seconds: 4 is too short; write 5 to 600"),
            (
                "replay-seconds: 10, segment-seconds: 5",
                "replay-seconds: a replay has no segments; remove segment-seconds and "
                    + "segment-megabytes"
            ),
        ] {
            let run = try session([Self.output("file: a.mkv, \(settings)")], duration: "1s").run()
            #expect(run.exit == .code(65), "\(run)")
            #expect(run.standardError.contains(text), "\(run)")
        }
    }

    /// The times of the camera's key frames.
    private static func keyFrames(of file: String) throws -> [Double] {
        let run = try ChildProcess.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags",
                "-of", "csv=p=0", file,
            ])
        return run.text.split(separator: "\n").filter { $0.contains("K") }.compactMap {
            Double($0.prefix { $0 != "," })
        }
    }

    @Test func `record with a file name uses the Recorder, isolated or not`() throws {
        for isolation in [nil, "process"] {
            let session = try session(
                ["{ record: talk.mp4 }"], duration: "1s", isolation: isolation)
            let check = try Greenroom.run("check", session.file)
            #expect(
                check.text.contains("Recorder { file: \(session.folder("talk.mp4"))"), "\(check)")
            let run = try self.run(session)
            #expect(
                run.standardError.contains("recorded in \(session.folder("talk.mp4"))"), "\(run)")
            #expect(try RecordedFile(session.folder("talk.mp4")).streams.count == 3)
            // It is not replaced, and the session does not start.
            let before = try readFile(session.folder("talk.mp4"))
            let again = try session.run()
            #expect(again.exit != .code(0))
            #expect(
                again.standardError.contains(
                    "talk.mp4: already exists. Record to another file, remove it, or write "
                        + "{ file: …, overwrite: true }."), "\(again)")
            #expect(try readFile(session.folder("talk.mp4")) == before)
        }
    }

    @Test func `a recording in one file replaces an earlier one on request`() throws {
        let session = try session(
            ["{ record: { file: talk.mkv, overwrite: true } }"], duration: "1s", isolation: nil)
        for _ in 1...2 {
            let run = try self.run(session)
            #expect(run.standardError.contains("talk.mkv"), "\(run)")
            #expect(try RecordedFile(session.folder("talk.mkv")).streams.count == 3)
        }
    }
}
