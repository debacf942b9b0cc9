import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests the measurements of these tests with known values and other programs.
@Suite(.ownThreads) struct SupportTests {
    @Test func `a program is killed with all its child processes`() throws {
        let folder = try TemporaryFolder()
        let script = "sleep 30 & echo $! > '\(folder("child"))'; echo begun >&2; wait"
        let child = try ChildProcess("sh", ["-c", script])
        #expect(child.waitForErrors(containing: "begun"))
        let run = child.wait(atMost: .milliseconds(500))
        #expect(run.exit == .killedAfter(.milliseconds(500)))
        #expect(run.standardError == "begun\n")
        let text = String(decoding: try readFile(folder("child")), as: UTF8.self)
        let id = try #require(pid_t(text.dropLast()))
        // A signal takes time, and orphans can't be reaped here.
        let isGone = waitUntil {
            let status = try? readFile("/proc/\(id)/stat")
            return status.map { String(decoding: $0, as: UTF8.self).contains(") Z ") } ?? true
        }
        #expect(isGone)
    }

    @Test func `a child process passes exit codes, signals, input and environment`() throws {
        #expect(try ChildProcess.run("sh", ["-c", "exit 7"]).exit == .code(7))
        #expect(try ChildProcess.run("sh", ["-c", "kill -SEGV $$"]).exit == .signal(SIGSEGV))
        #expect(try ChildProcess.run("cat", [], input: Array("hello".utf8)).text == "hello")
        let environment: [String: String?] = ["GREENROOM_TEST": "a b", "HOME": nil]
        let run = try ChildProcess.run(
            "sh", ["-c", "echo \"$GREENROOM_TEST,${HOME-none}\""], environment: environment)
        #expect(run.text == "a b,none\n")
        #expect(throws: Failure.self) { try ChildProcess.run("no such program", []) }
    }
}
