import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension HostProcessTests {
    /// As a service manager's watchdog does.
    @Test(arguments: [SIGABRT, SIGSEGV])
    func `a fatal signal of another process kills the host`(number: Int32) throws {
        let session = try Self.session("none", clock: nil, duration: nil)
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending\n"))
        child.signal(number)
        let run = child.wait()
        #expect(run.exit == .signal(number), "\(run)")
        #expect(run.standardError.contains("from process \(getpid())\n"), "\(run)")
        #expect(session.folder.has("recording/camera.y4m"))
    }
}
