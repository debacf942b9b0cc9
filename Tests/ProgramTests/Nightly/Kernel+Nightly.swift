import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension KernelTests {
    @Test(
        arguments: [
            ("clone3", "the system cannot start a thread", "update Docker"),
            (
                "memory files", "can't make shared memory: Operation not permitted",
                "allow memfd_create"
            ),
        ])
    func `a start that the container prevents is reported with the fix and not retried`(
        part: String, problem: String, cure: String
    ) throws {
        let (run, _) = try run("run", lacking: part, sandbox: "on")
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.contains(problem) && run.standardError.contains(cure), "\(run)")
        #expect(!run.standardError.contains(/restarting|started again|has not returned/), "\(run)")
    }

    @Test(arguments: ["landlock,seccomp", "landlock,openat2"])
    func `sandbox: partial accepts a kernel that lacks parts of the sandbox`(parts: String) throws {
        let (run, session) = try run("run", lacking: parts, sandbox: "partial")
        #expect(run.exit == .code(0), "\(run)")
        #expect(try session.report().picture("camera").accepted > 10, "\(run)")
    }

    @Test(arguments: ["check", "run"])
    func `a warning names an isolated bundled plugin whose grants cannot be enforced`(
        command: String
    ) throws {
        let session = try FileSession(
            """
            camera: { plugin: ColorBars, isolation: host }
            microphone: { plugin: Tone, isolation: process }
            """, clock: "virtual", isolation: nil)
        func said(lacking parts: String) throws -> String {
            let run = try ChildProcess.run(
                Checkout.products + "/sandbox-probe",
                ["--kernel", parts, Checkout.greenroom, command, session.file, "--set"]
                    + ["outputs=[{record: \(session.folder(parts.replacing(",", with: "-")))}]"],
                environment: Greenroom.environment)
            #expect(run.exit == .code(0), "\(run)")
            return run.text + run.standardError
        }
        let words = "this machine cannot enforce the plugin's grants"
        let open = try said(lacking: "landlock,seccomp")
        #expect(open.split(separator: "\n").count { $0.contains(words) } == 1, "\(open)")
        #expect(open.contains("microphone") && open.contains("warning"), "\(open)")
        let kept = try said(lacking: "landlock")
        #expect(!kept.contains(words), "\(kept)")
        if command == "check" {
            #expect(open.contains("sandbox: partial"), "\(open)")
            #expect(kept.contains("the host opens files for the plugins"), "\(kept)")
        }
    }

    @Test func `plugin info shows whether the plugin's grants are enforced`() throws {
        for (parts, words) in [
            ("landlock", "together they keep it to its grants"),
            ("landlock,seccomp", "not kept to its grants: Landlock ("),
            ("landlock,notifications", "not kept to its grants: Landlock ("),
        ] {
            let run = try ChildProcess.run(
                Checkout.products + "/sandbox-probe",
                ["--kernel", parts, Checkout.greenroom, "plugin", "info", "Tone"],
                environment: Greenroom.environment)
            #expect(run.exit == .code(0) && run.text.contains(words), "\(run)\n\(run.text)")
        }
    }
}
