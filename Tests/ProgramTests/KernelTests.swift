import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Sessions with an untrusted plugin, on kernels that lack parts of the sandbox.
struct KernelTests {
    func run(
        _ command: String, lacking parts: String, sandbox: String? = nil
    ) throws -> (Finished, FileSession) {
        let session = try FileSession(
            """
            camera:
              plugin: "\(try TestPlugins.cCamera())"
              \(sandbox.map { "sandbox: \($0)" } ?? "")
            microphone: { plugin: Tone, isolation: process }
            """, clock: "virtual", isolation: nil)
        let run = try ChildProcess.run(
            Checkout.products + "/sandbox-probe",
            ["--kernel", parts, Checkout.greenroom, command, session.file],
            environment: Greenroom.environment.merging(
                // No scan of an earlier run.
                ["XDG_CACHE_HOME": session.folder("cache")]
            ) { $1 })
        return (run, session)
    }

    @Test func `without Landlock the host opens files for plugins, and the session works`() throws {
        let (run, session) = try run("run", lacking: "landlock")
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.report()
        #expect(try report.plugin("camera").losses?.isEmpty ?? true, "\(run)")
        #expect(try report.picture("camera").accepted > 10, "\(run)")
        #expect(try report.sound("microphone").accepted > 10, "\(run)")
        let layer = try #require(try report.plugin("camera").sandbox?["Landlock"])
        #expect(layer.contains("the host opens files for it"), "\(layer)")
    }

    @Test(arguments: ["check", "run"], ["landlock,seccomp", "landlock,notifications"])
    func `a plugin does not start where nothing enforces its grants`(
        command: String, parts: String
    ) throws {
        let (run, session) = try run(command, lacking: parts)
        #expect(run.exit == .code(65), "\(run)")
        #expect(
            run.standardError.contains("camera.plugin: ") || run.standardError.contains(":8:"),
            "\(run)")
        #expect(
            run.standardError.contains(
                "not bundled, and this machine cannot enforce its grants"),
            "\(run)")
        #expect(run.standardError.contains("sandbox: partial"), "\(run)")
        #expect(!session.folder.has("recording/camera.y4m"))
    }

    @Test func `no untrusted library is loaded where no sandbox can confine it`() throws {
        let folder = try TemporaryFolder()
        let library = try TestPlugins.cCamera()
        symlink(library, folder("other-name.so"))
        for arguments in [["plugins"], ["plugin", "info", "CCamera"], ["validate", library]] {
            let run = try ChildProcess.run(
                Checkout.products + "/sandbox-probe",
                ["--kernel", "landlock,seccomp", Checkout.greenroom] + arguments,
                environment: Greenroom.environment.merging([
                    "GREENROOM_PLUGIN_PATH": folder.path
                ]) { $1 })
            #expect(!run.text.contains("A white bar"), "\(run)\n\(run.text)")
            #expect(
                (run.text + run.standardError).contains(
                    /enforce its grants|lacks parts of the sandbox|no plugin of this name/),
                "\(run)\n\(run.text)")
        }
    }
}
