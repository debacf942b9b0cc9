import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// A plugin that stands still in a debugger is not a plugin that hangs.
@Suite(.ownThreads) struct DebuggerTests {
    /// Attaches to a process as a debugger does, stops it for some seconds, and lets go of it.
    private static let source = """
        #include <stdlib.h>
        #include <sys/ptrace.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(int count, char **words) {
          (void)count;
          const int process = atoi(words[1]);
          if (ptrace(PTRACE_ATTACH, process, 0, 0) != 0) return 1;
          int status;
          if (waitpid(process, &status, __WALL) != process) return 2;
          sleep((unsigned)atoi(words[2]));
          return ptrace(PTRACE_DETACH, process, 0, 0) == 0 ? 0 : 3;
        }
        """

    @Test func `a debugger that stops a plugin for longer than every deadline costs it nothing`()
        throws
    {
        let session = try FileSession(
            "camera: { plugin: ColorBars }", maximum: "160x90@15", duration: nil,
            deadline: "4s", isolation: "process")
        let tracer = session.folder("tracer")
        let build = try ChildProcess.run(
            "cc", ["-o", tracer, try session.folder.write("tracer.c", Self.source)])
        guard build.exit == .code(0) else { throw Failure("\(build)") }
        let child = try session.start()
        #expect(child.waitForErrors(containing: "sending"))
        let runner = try #require(Runners.all(ofHost: child.id).first)
        // Its main thread answers the host's pings: they stop for longer than the watch allows.
        let debugger = try ChildProcess(tracer, ["\(runner)", "5"])
        let line =
            "camera: a debugger is attached (tracer, process \(debugger.id)): deadlines suspended"
        #expect(child.waitForErrors(containing: line))
        #expect(debugger.wait().exit == .code(0))
        usleep(1_000_000)
        child.signal(SIGINT)
        let run = child.wait()
        #expect(run.exit == .code(130), "\(run)")
        #expect(run.standardError.components(of: "a debugger is attached") == 1, "\(run)")
        #expect(try session.report().plugin("camera").losses?.isEmpty ?? true, "\(run)")
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
