import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension SampleTests {
    @Test func `the session file of the ten-minute camera is valid`() throws {
        let files = try Chapter.book("write-a-camera").blocks.filter { $0.language == "yaml" }
        #expect(files.count == 1)
        let folder = try TemporaryFolder()
        for file in files {
            let run = try Greenroom.run(
                "check", try folder.write("s.yaml", file.text), "--set",
                "camera.plugin=\(try TestPlugins.cCamera())")
            #expect(run.exit == .code(0), "\(run)")
            #expect(!run.text.contains("warning:"), "\(run.text)")
        }
    }

    @Test func `a third-party camera runs`() throws {
        let (session, run) = try record(
            "ThirdPartyCamera/session.yaml",
            ["--duration", "2s", "--set", "session.maximum=320x180@15"])
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        #expect(try report.plugin("camera").id == "com.example.plasma")
        let recording = try session.picture("camera")
        #expect(recording.frameCount == 30)
        #expect(try report.picture("camera").outputs[0].delivered > 3, "\(run)")
        // Chroma, and moving waves.
        let frames = (try recording.frame(1), try recording.frame(25))
        #expect(frames.0[10, 10].u == 160 && frames.0[10, 10].v == 110)
        #expect(frames.0.y != frames.1.y)
        #expect(Set(frames.0.y).count > 100)
    }

    @Test func `a session follows its timeline, and its recording has no gap`() throws {
        let (session, run) = try record("renegotiation.yaml", ["--virtual-clock", "--json"])
        #expect(run.exit == .code(0), "\(run)")
        let done = try run.events.filter { $0.event == "commanded" }.map(\.origin)
        #expect(
            done == [0, 2, 1, 3, 4, 5, 6, 7].map { "timeline[\($0)]" },
            "in order of time:\n\(run.text)")
        try session.expectTrueReport(run)

        // 12 s at 30 frames a second, black while the camera is stopped from 8 s to 10 s.
        let recording = try session.picture("camera")
        #expect(recording.width == 1280 && recording.frameCount == 360)
        for (index, isBlack) in [(30, false), (225, false), (255, true), (290, true), (345, false)]
        {
            let frame = try recording.frame(index)
            #expect(frame.y.allSatisfy { $0 == 16 } == isBlack, "frame \(index)")
        }
        // Silence while the microphone is muted from 3 s to 5 s.
        let sound = try session.sound("camera")
        #expect(sound.frameCount == 12 * 48_000)
        for (tenths, isSilent) in [(20..<25, false), (35..<48, true), (60..<65, false)] {
            let samples = sound.channels[0][tenths.lowerBound * 4800..<tenths.upperBound * 4800]
            #expect(samples.allSatisfy { $0 == 0 } == isSilent, "\(tenths) tenths of a second")
        }
    }

    @Test func `the camera in C runs`() throws {
        let (session, run) = try record(
            "c-camera/session.yaml",
            ["--duration", "2s", "--set", "session.maximum=320x180@30"])
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let picture = try report.picture("camera")
        // One may be on its way at the end.
        #expect(picture.refused.keys.allSatisfy { $0 == "STOPPED" }, "\(picture.refused)\n\(run)")
        #expect(picture.outputs[0].delivered > 3, "\(run)")
        let recording = try session.picture("camera")
        let last = recording.frameCount - 1
        #expect(last > 3)
        #expect(try recording.frame(0) != recording.frame(last), "it moves")
    }

    /// Runs a sample, recording into a folder of the test.
    private func record(_ file: String, _ arguments: [String]) throws -> (FileSession, Finished) {
        // Only its folder is used.
        let session = try FileSession("")
        let child = try Greenroom.start(
            ["run", "\(Self.folder)/\(file)"] + (try Self.arguments(for: file)) + arguments
                + ["--set", "outputs=[{ record: \"\(session.recording)\" }]"])
        return (session, child.wait())
    }
}
