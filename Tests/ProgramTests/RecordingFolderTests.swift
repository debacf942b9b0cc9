import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// What a session writes, where somebody else has put something first.
@Suite(.ownThreads) struct RecordingFolderTests {
    private static let overwriting = "[{ record: { folder: recording, overwrite: true } }]"

    private func session(
        duration: String? = "400ms", _ outputs: String = RecordingFolderTests.overwriting
    ) throws -> TestSession {
        let session = try TestSession(
            "camera: { plugin: ColorBars }\nmicrophone: { plugin: Tone }", maximum: "160x90@15",
            duration: duration, clock: duration == "400ms" ? "virtual" : nil, outputs: outputs)
        mkdir(session.recording, 0o755)
        return session
    }

    @Test(arguments: ["session.json", "session.json.part", "camera.y4m", "camera.wav"])
    func `a link is not followed, also with overwrite: true`(name: String) throws {
        for exists in [true, false] {
            let session = try session()
            if exists { try session.folder.write("target", "precious") }
            let link = "\(session.recording)/\(name)"
            #expect(symlink(session.folder("target"), link) == 0)
            let run = try session.run()
            #expect(run.exit == .code(74), "\(run)")
            #expect(run.standardError.contains("is a symbolic link"), "\(run)")
            if exists {
                #expect(try readFile(session.folder("target")) == Array("precious".utf8))
            } else {
                #expect(!session.folder.has("target"))
            }
        }
    }

    @Test(.nightly, arguments: ["session.json.part", "camera.wav"])
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

    @Test(.nightly, arguments: ["session.json", "session.json.part", "camera.y4m"])
    func `a named pipe is refused at once`(name: String) throws {
        let session = try session()
        #expect(mkfifo("\(session.recording)/\(name)", 0o666) == 0)
        let run = try session.run()
        #expect(run.exit == .code(74), "\(run)")
        #expect(run.standardError.contains("is a named pipe, not a regular file"), "\(run)")
    }

    @Test func `only the session's user can read its files`() throws {
        let session = try session("[{ record: deep/folder }, { record: recording }]")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        func mode(_ path: String) -> mode_t {
            var about = stat()
            return lstat(path, &about) == 0 ? about.st_mode & 0o777 : 0
        }
        #expect(mode(session.folder("deep")) == 0o700)
        #expect(mode(session.folder("deep/folder")) == 0o700)
        #expect(mode(session.recording) == 0o755, "the user's own folder")
        for folder in [session.recording, session.folder("deep/folder")] {
            for name in ["session.json", "camera.y4m", "camera.wav"] {
                #expect(mode("\(folder)/\(name)") == 0o600, "\(folder)/\(name)")
            }
            #expect(access("\(folder)/session.json.part", F_OK) != 0)
        }
    }

    @Test(.nightly, arguments: ["check", "run"])
    func `a folder in which all users can change files has a warning`(command: String) throws {
        let session = try session()
        chmod(session.recording, 0o777)
        let run = try Greenroom.run(command, session.file)
        #expect(run.exit == .code(0), "\(run)")
        let words =
            "\(session.recording): all users can replace or remove recordings in this folder"
        #expect((run.text + run.standardError).contains(words), "\(run)\n\(run.text)")
    }

    @Test func `a second session in a folder is refused, and the error names the first one`() throws
    {
        let first = try session(duration: nil)
        let child = try first.start()
        #expect(child.waitForErrors(containing: "sending"))
        for overwrite in [true, false] {
            let second = try session(
                "[{ record: { folder: \"\(first.recording)\", overwrite: \(overwrite) } }]")
            let refused = try second.run()
            #expect(refused.exit == .code(74), "\(refused)")
            #expect(
                refused.standardError.contains(
                    "\(first.recording): another session records to this folder: process "
                        + "\(child.id) (greenroom). Record to another folder, or end that "
                        + "session."), "\(refused)")
        }
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(try first.picture("camera").frameCount > 0)
        // Now that it has ended they may.
        let third = try session(
            "[{ record: { folder: \"\(first.recording)\", overwrite: true } }]")
        #expect(try third.run().exit == .code(0))
    }

    @Test(.nightly) func `only files that an older report lists are removed`() throws {
        let session = try TestSession(
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

    @Test(.nightly) func `a session whose disk is full has not finished`() throws {
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

    @Test(.nightly) func `a folder that disappears is reported in plain words`() throws {
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

    @Test(.nightly) func `SIGUSR1 and SIGUSR2 do not end a session`() throws {
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
