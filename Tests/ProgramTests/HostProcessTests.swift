import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests how a plugin, or another process, ends the host's process.
@Suite(.ownThreads) struct HostProcessTests {
    static func session(
        _ fault: String, clock: String? = "virtual", duration: String? = "2s"
    ) throws -> FileSession {
        try FileSession(
            "camera: \(try FileSession.hostile("Faulty", "frames: 5, fault: \(fault)"))",
            duration: duration, clock: clock)
    }

    static let ends: [(fault: String, words: String, exit: Exit)] = [
        ("segv", "crashed (SIGSEGV)", .signal(SIGSEGV)),
        ("overflow", "crashed (SIGSEGV)", .signal(SIGSEGV)),
        ("abort", "called abort()", .signal(SIGABRT)),
        ("exit", "called exit(3)", .code(69)),
        ("quit", "called _exit(0)", .code(69)),
    ]

    @Test(arguments: ends)
    func `the host names the plugin that ends the host's process, and its call`(
        fault: String, words: String, exit: Exit
    ) throws {
        let run = try Self.session(fault).run()
        #expect(run.exit == exit, "\(run)")
        #expect(
            run.standardError.contains(
                "greenroom: camera (Faulty): \(words) and ends the program. Set isolation: process"),
            "\(run)")
    }

    @Test func `a plugin that resets SIGPIPE does not end the session`() throws {
        let session = try Self.session("break-pipe")
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.standardError.contains("wrote -1, 1"), "\(run)")
        #expect(try session.picture("camera").frameCount == 30, "\(run)")
    }

    @Test func `calls to a sender after destroy are refused`() throws {
        let session = try FileSession(
            """
            camera: \(try FileSession.hostile("SendWhenGone", "", "on-failure: off"))
            share: \(try FileSession.hostile("Share"))
            """, duration: "3s")
        let run = try session.run()
        let gone = try #require(run.answers(to: "send-after-destroy").first, "\(run)")
        #expect(gone.status == 3 && gone.text.contains("Forget the sender"), "\(gone)")
        // A thread that makes every call 1000 times with destroyed handles.
        #expect(run.answers(to: "same-answers").map(\.status) == [5000], "\(run)")
        #expect(run.exit == .code(0), "\(run)")
    }
}
