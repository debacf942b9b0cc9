import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests what `Packaging/install.sh` installs, as somebody uses it who has no checkout.
@Suite(.ownThreads) struct InstallTests {
    let folder: TemporaryFolder

    /// Where Greenroom is installed.
    let prefix: String

    /// Nothing of the tests' own, and the home of a user.
    let environment: [String: String?]

    init() throws {
        folder = try TemporaryFolder()
        prefix = folder("usr local")
        environment = [
            "HOME": folder("home"), "XDG_CACHE_HOME": folder("cache"), "PKG_CONFIG_PATH": nil,
            "GREENROOM_PLUGIN_PATH": nil, "GREENROOM_PROGRAM": nil, "LD_LIBRARY_PATH": nil,
            "ASAN_OPTIONS": "detect_leaks=0",
        ]
        mkdir(folder("home"), 0o755)
    }

    func install(_ arguments: String...) throws -> Finished {
        try ChildProcess.run(
            "sh", [Checkout.root + "/Packaging/install.sh", "--prefix", prefix] + arguments,
            environment: ["DESTDIR": nil])
    }

    /// Runs the installed program in the folder, and expects that it succeeds.
    func greenroom(
        _ arguments: String..., exit: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Finished {
        let run = try ChildProcess.run(
            "sh",
            ["-c", "cd \"$0\" && exec \"$@\"", folder.path, prefix + "/bin/greenroom"]
                + arguments, environment: environment)
        #expect(run.exit == .code(exit), "\(run)", sourceLocation: sourceLocation)
        return run
    }

    @Test func `a removal deletes nothing outside of the prefix`() throws {
        for made in ["usr local", "usr local/share", "usr local/share/greenroom", "other"] {
            mkdir(folder(made), 0o755)
        }
        for made in ["mine", "usr local/listed"] { try folder.write(made, "") }
        try folder.write(
            "usr local/share/greenroom/installed-files",
            """
            listed
            ../mine
            ./../mine
            share/../../mine
            \(folder("mine"))
            ../other/

            """)
        let run = try install("--remove")
        #expect(run.exit == .code(0), "\(run)")
        #expect(access(folder("usr local/listed"), F_OK) != 0)
        for kept in ["mine", "other"] { #expect(access(folder(kept), F_OK) == 0, "\(kept)") }
    }

    /// All files below a folder, sorted.
    func files(below path: String) throws -> [String] {
        try ChildProcess.run("find", [path, "-type", "f"]).text.split(separator: "\n").map(
            String.init
        )
        .sorted()
    }
}
