import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// What a session writes, where somebody else has put something first.
@Suite(.ownThreads) struct RecordingFolderTests {
    static let overwriting = "[{ record: { folder: recording, overwrite: true } }]"

    func session(
        duration: String? = "400ms", _ outputs: String = RecordingFolderTests.overwriting
    ) throws -> FileSession {
        let session = try FileSession(
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
}
