import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension RecordingFolderTests {
    @Test(arguments: ["session.json.part", "camera.wav"])
    func `an earlier recording stays whole if a file of the new one can't be made`(name: String)
        throws
    {
        let session = try session()
        let picture = Array("the picture of an earlier session".utf8)
        try session.folder.write("recording/camera.y4m", picture)
        #expect(symlink("target", "\(session.recording)/\(name)") == 0)
        let run = try session.run()
        #expect(run.exit == .code(74) && run.standardError.contains(name), "\(run)")
        #expect(!run.standardError.contains("sending"), "\(run)")
        #expect(try readFile(session.recording + "/camera.y4m") == picture)
    }

    @Test(arguments: ["session.json", "session.json.part", "camera.y4m"])
    func `a named pipe is refused at once`(name: String) throws {
        let session = try session()
        #expect(mkfifo("\(session.recording)/\(name)", 0o666) == 0)
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("is a named pipe, not a regular file"), "\(run)")
    }

    @Test(arguments: ["check", "run"])
    func `a folder in which all users can change files has a warning`(command: String) throws {
        let session = try session()
        chmod(session.recording, 0o777)
        let run = try Greenroom.run(command, session.file)
        #expect(run.exit == .code(0), "\(run)")
        let words =
            "\(session.recording): all users can replace or remove recordings in this folder"
        #expect((run.text + run.standardError).contains(words), "\(run)\n\(run.text)")
    }

    @Test func `only files that an older report lists are removed`() throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars }
            microphone: { plugin: Tone }
            share: { plugin: ColorBarsShare, audio: { plugin: ToneShareAudio } }
            """, maximum: "160x90@15", duration: "400ms", clock: "virtual",
            outputs: Self.overwriting)
        #expect(try session.run().exit == .code(0))
        let others = ["notes.txt", "other.y4m", "other.wav"]
        for name in others { try session.folder.write("recording/\(name)", "mine") }
        let old = ["share.y4m", "share.wav", "camera.wav"]
        for name in old { #expect(session.folder.has("recording/\(name)"), "\(name)") }
        try session.folder.write(
            "session.yaml",
            """
            session: { maximum: 160x90@15, duration: 400ms, clock: virtual }
            camera: { plugin: ColorBars }
            outputs: \(Self.overwriting)
            """)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        for name in old { #expect(!session.folder.has("recording/\(name)"), "\(name)") }
        for name in others + ["camera.y4m", "session.json"] {
            #expect(session.folder.has("recording/\(name)"), "\(name)")
        }
    }

    @Test func `a session whose disk is full ends with exit code 74`() throws {
        let session = try session(
            duration: "3s",
            "[{ record: recording }, { record: { folder: small, size: 16x16, fps: 1 } }]")
        #expect(try Greenroom.run("check", session.file).exit == .code(0))
        let child = try ChildProcess(
            "sh",
            [
                "-c", "trap '' XFSZ; ulimit -f 300; exec \"$0\" run --json \"$1\"",
                Checkout.greenroom, session.file,
            ], environment: Greenroom.environment)
        let run = child.wait()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.text.contains(#""outcome":"outputs-failed""#), "\(run.text)")
        let report = try #require(
            try JSONSerialization.jsonObject(
                with: Data(readFile(session.folder("small/session.json")))) as? [String: Any])
        #expect(report["outcome"] as? String == "outputs-failed")
    }

    @Test func `a folder that disappears is reported in plain words`() throws {
        let session = try session(duration: nil)
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending"))
        // The session may write a file into the folder while its files are removed.
        for _ in 0..<100 where session.folder.has("recording") {
            try? FileManager.default.removeItem(atPath: session.recording)
        }
        #expect(!session.folder.has("recording"))
        let text = "session.json: failed: cannot be written: No such file or directory; check"
        #expect(child.waitForErrors(containing: text))
        child.signal(SIGINT)
        let run = child.wait()
        for word in ["NSCocoa", "Error Domain", "CocoaError", "NSFilePath"] {
            #expect(!run.standardError.contains(word), "\(run)")
        }
    }

    @Test func `SIGUSR1 and SIGUSR2 do not end a session`() throws {
        let session = try session(duration: nil)
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending"))
        child.signal(SIGUSR1)
        child.signal(SIGUSR2)
        usleep(200_000)
        child.signal(SIGTERM)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(try session.picture("camera").frameCount > 0)
    }
}
