import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension CommandTests {
    @Test func `a command that starts slowly loses nothing on the virtual clock`() throws {
        let folder = try TemporaryFolder()
        let session = try session([
            Self.output(["sh", "-c", "sleep 0.4; exec cat > \"$0\"", folder("a.y4m")])
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(try Y4MRecording(folder("a.y4m")).frameCount == 30, "\(run)")
        #expect(run.standardError.contains("frames-lost 0"), "\(run)")
    }

    @Test func `frames that a command has not read are lost`() throws {
        let session = try session([
            Self.output(["true"], "track: mix, rate: 16000, channels: 1")
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("samples-lost 32000"), "\(run)")
    }

    @Test func `a command receives empty arguments`() throws {
        let folder = try TemporaryFolder()
        let print = "printf \"%s|\" \"$@\" > \"$0\"; exec cat > /dev/null"
        let session = try session([
            Self.output(["sh", "-c", print, folder("words"), "", "a", ""])
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(String(decoding: try readFile(folder("words")), as: UTF8.self) == "|a||")
    }

    @Test func `a process that a command leaves behind does not hold up the end`() throws {
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

    @Test func `a command that does not read loses frames, stalls nothing and is killed`()
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
        #expect(
            run.standardError.contains("sh killed, because it did not end after its input"),
            "\(run)")
        #expect(run.standardError.contains(/frames-lost [1-9]/), "\(run)")
        try session.expectTrueReport(run)
        #expect(try session.picture("camera").frameCount >= 29, "the recording is whole: \(run)")
        let pid = try #require(
            Int32(
                String(decoding: try readFile(folder("pid")), as: UTF8.self)
                    .trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, 0) == -1 && errno == ESRCH)
        // Init reaps the command's other processes.
        let isGone = waitUntil { kill(-pid, 0) == -1 && errno == ESRCH }
        #expect(isGone, "nothing of its group is left")
    }

    @Test(
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

    @Test func `Command runs in a separate process without a sandbox`() throws {
        let folder = try TemporaryFolder()
        let session = try session([
            Self.output(
                ["tee", folder("a.y4m")], "", "isolation: process, sandbox: off")
        ])
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(try Y4MRecording(folder("a.y4m")).frameCount == 30, "\(run)")
    }

    @Test func `a command's missing track is an error with its fix`() throws {
        let session = try session([
            Self.output(["cat"], "track: share", "on-failure: end")
        ])
        let run = try session.run()
        #expect(run.exit == .code(74) || run.exit == .code(69), "\(run)")
        #expect(run.standardError.contains("the session has no share for this output"), "\(run)")
    }
}
