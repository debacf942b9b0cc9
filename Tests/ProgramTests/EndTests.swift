import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that recordings are complete however a session ends.
@Suite(.ownThreads) struct EndTests {
    static func sources() throws -> String {
        """
        camera: \(try FileSession.hostile("Camera"))
        microphone: \(try FileSession.hostile("Mic", "rate: 44100"))
        share: \(try FileSession.hostile("Share", "", """
            audio: \(try FileSession.hostile("ShareAudio"))
            """))
        """
    }

    /// Starts a session and waits until all its sources have sent for a while.
    private func running(_ session: FileSession) throws -> ChildProcess {
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending\n"))
        usleep(700_000)
        return child
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends the session in order`(signal: Int32) throws {
        let session = try FileSession(try Self.sources(), duration: nil)
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
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Hang", "where: stop-send"))
            microphone: \(try FileSession.hostile("Mic"))
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

    @Test func `a killed session leaves readable files`() throws {
        let session = try FileSession(try Self.sources(), duration: nil)
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
    func piped(
        _ session: FileSession, into command: String
    ) throws -> Finished {
        let script =
            "set -o pipefail; '\(Checkout.greenroom)' run '\(session.file)' | \(command)"
        return try ChildProcess.run(
            "bash", ["-c", script], environment: ["GREENROOM_PLUGIN_PATH": nil])
    }

    @Test func `a session without a working output ends with 74 and names the missing files`()
        throws
    {
        let speaker = FileSession.bundled("SpeakerFile", "path: none/m.wav")
        let lines = [
            "outputs[0]: the session continues without it",
            // At 0.0 s, unless the machine is busy.
            " s, with no result",
        ]
        for (others, code) in [("", 74), (", { record: recording }", 0)] as [(String, Int32)] {
            for clock in [nil, "virtual"] {
                let session = try FileSession(
                    "microphone: { plugin: Tone }", clock: clock, outputs: "[\(speaker)\(others)]")
                let run = try session.run()
                #expect(run.exit == .code(code), "\(run)")
                #expect(lines.allSatisfy { run.standardError.contains($0) }, "\(run)")
                #expect(
                    run.standardError.contains("every output failed") == (code == 74), "\(run)")
            }
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
            let session = try FileSession(
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

    @Test func `only frames go to standard output`() throws {
        let session = try FileSession(
            "camera: \(try FileSession.hostile("Camera"))", duration: "400ms", clock: "virtual",
            outputs: "[{ y4m: { track: camera, fps: 10 } }, { record: recording }]")
        let run = try session.run("--json")
        #expect(run.exit == .code(0), "\(run)")
        let file = try session.folder.write("out.y4m", run.standardOutput)
        let piped = try Y4MRecording(file)
        #expect(piped.frameCount == 4 && piped.trailingBytes == 0)
        #expect(run.standardError.hasPrefix("{"), "events go to standard error")
    }

    @Test func `a plugin's prints in the host process do not reach standard output`() throws {
        let camera = try FileSession.hostile("Faulty", "fault: print, frames: 2")
        for (outputs, arguments) in [
            ("[{ y4m: \"-\" }]", []), ("[{ record: recording }]", ["--json"]),
        ] {
            let session = try FileSession(
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
        let loading = FileSession.library(try TestPlugins.loading("print", in: "CONSTRUCTOR"))
        let session = try FileSession("camera: \(loading)")
        let check = try Greenroom.start(["check", "--json", session.file]).wait()
        #expect(check.exit == .code(69), "its create fails: \(check)")
        let plan = try JSONSerialization.jsonObject(with: Data(check.standardOutput))
        #expect((plan as? [String: Any])?["session"] != nil, "\(check)")
        #expect(check.standardError.contains("I have a camera"), "\(check)")
    }

    @Test func `a full disk is reported, and the file stays readable`() throws {
        // A limit of the file size simulates a full disk. It applies to memory too, and the scan of
        // a library needs 64 MiB. So the limit is 65 MiB: 53 s of video, and 355 s of audio.
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("Camera"))
            microphone: \(try FileSession.hostile("Mic"))
            """, duration: "400s", clock: "virtual")
        let run = try ChildProcess.run(
            "bash",
            ["-c", "ulimit -f 66560; exec '\(Checkout.greenroom)' run '\(session.file)'"],
            environment: ["GREENROOM_PLUGIN_PATH": nil, "XDG_CACHE_HOME": session.folder("cache")])
        #expect(run.exit == .code(74), "\(run)")
        let told = run.standardError.split(separator: "\n").filter { $0.contains(": failed: ") }
        #expect(told.count == 2, "picture and sound, each once:\n\(run)")
        let picture = try session.picture("camera")
        #expect(picture.frameCount == 788 && picture.trailingBytes == 0)
        let sound = try session.sound("camera")
        #expect(sound.headerExcessBytes == 0 && sound.frameCount > 17_000_000)
        let report = try session.report()
        #expect(try report.picture("camera").outputs[0].failure != nil)
        #expect(report.audioFiles.first?.failure != nil)
    }
}
