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
        TestSession.bundled("Recorder", settings, more)
    }

    func session(
        _ outputs: [String], _ sources: String = sources, maximum: String = "160x90@15",
        duration: String? = "3s", clock: String? = "virtual",
        timeline: [String] = [], isolation: String? = nil
    ) throws -> TestSession {
        try TestSession(
            sources, maximum: maximum, duration: duration, clock: clock,
            timeline: timeline, isolation: isolation,
            outputs: "[\(outputs.joined(separator: ", "))]")
    }

    func run(_ session: TestSession) throws -> Finished {
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
            try file.play()
        }
        #expect(run.standardError.contains("files 2, seconds 5"), "\(run)")
    }

    @Test func `record with the name of a file is the Recorder, isolated or not`() throws {
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
