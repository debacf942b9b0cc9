import Glibc
import TestSupport
import Testing

/// Tests what `Packaging/install.sh` installs, as somebody uses it who has no checkout.
@Suite(.ownThreads) struct InstallTests {
    private let folder: TemporaryFolder
    /// Where Greenroom is installed.
    private let prefix: String
    /// Nothing of the tests' own, and the home of a user.
    private let environment: [String: String?]

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

    private func install(_ arguments: String...) throws -> Finished {
        try ChildProcess.run(
            "sh", [Checkout.root + "/Packaging/install.sh", "--prefix", prefix] + arguments,
            environment: ["DESTDIR": nil], atMost: .seconds(180))
    }

    /// Runs the installed program in the folder, and expects that it succeeds.
    private func greenroom(
        _ arguments: String..., exit: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Finished {
        let run = try ChildProcess.run(
            "sh",
            ["-c", "cd \"$0\" && exec \"$@\"", folder.path, prefix + "/bin/greenroom"]
                + arguments, environment: environment, atMost: .seconds(120))
        #expect(run.exit == .code(exit), "\(run)", sourceLocation: sourceLocation)
        return run
    }

    /// All files below a folder, sorted.
    private func files(below path: String) throws -> [String] {
        try ChildProcess.run("find", [path, "-type", "f"]).text.split(separator: "\n").map(
            String.init
        )
        .sorted()
    }

    @Test func `an installed program records, has its plugins, and leaves nothing`() throws {
        let installed = try install("--built")
        #expect(installed.exit == .code(0), "\(installed)")
        try folder.write("home/kept", "")
        try folder.write(
            "session.yaml",
            """
            session: { duration: 1s, maximum: 320x180@15, clock: virtual }
            camera: { plugin: ColorBars, isolation: process }
            outputs: [{ record: recording }]
            """)
        let run = try greenroom("run", "session.yaml")
        #expect(run.standardError.contains("15 frames"), "\(run)")

        // A plugin in C, with what pkg-config says.
        let compiled = try ChildProcess.run(
            "sh",
            [
                "-c",
                """
                cd "$0" && flags=$(pkg-config --cflags greenroom) && \\
                    eval "cc -shared -fPIC -pthread $flags '$1' -o libmine.so"
                """, folder.path, Checkout.root + "/Samples/c-camera/camera.c",
            ], environment: ["PKG_CONFIG_PATH": prefix + "/lib/pkgconfig"])
        #expect(compiled.exit == .code(0), "\(compiled)")
        let added = try greenroom("plugin", "install", "libmine.so")
        #expect(
            added.text.contains("CCamera") && added.text.contains("needs no grants"), "\(added)")
        #expect(try greenroom("plugin", "list").text.contains("libmine.so"))
        let again = try greenroom("plugin", "install", "libmine.so", exit: 65)
        #expect(again.standardError.contains("--replace replaces it"), "\(again)")
        _ = try greenroom("plugin", "install", "libmine.so", "--replace")
        _ = try greenroom(
            "run", "session.yaml", "--set", "camera={plugin: CCamera}", "--set",
            "outputs=[{record: second}]")

        // A plugin in Swift brings the SDK along.
        _ = try greenroom("new", "camera", "my-camera")
        let manifest = String(
            decoding: try readFile(folder("my-camera/Package.swift")), as: UTF8.self)
        #expect(manifest.contains("let greenroom = \"Greenroom\""))
        #expect(!manifest.contains(prefix) && !manifest.contains(Checkout.root))
        if Nightly.isOn {
            let built = try ChildProcess.run(
                "swift", ["build", "-c", "release", "--package-path", folder("my-camera")],
                atMost: .seconds(300))
            #expect(built.exit == .code(0), "\(built)")
            _ = try greenroom("run", "my-camera/session.yaml")
        }

        // An upgrade keeps what users have, and takes away what is gone.
        try folder.write("usr local/share/greenroom/old", "")
        try appendToList("share/greenroom/old")
        #expect(try install("--built").exit == .code(0))
        #expect(access(prefix + "/share/greenroom/old", F_OK) != 0)
        #expect(try greenroom("plugins").text.contains("libmine.so"))

        _ = try greenroom("plugin", "remove", "CCamera")
        let bundled = try greenroom("plugin", "remove", "Tone", exit: 65)
        #expect(bundled.standardError.contains("no plugin Tone was installed"), "\(bundled)")
        let removed = try install("--remove")
        #expect(removed.exit == .code(0), "\(removed)")
        #expect(try files(below: prefix).isEmpty)
        #expect(rmdir(prefix) == 0, "no folder is left")
        #expect(try files(below: folder("home")) == [folder("home/kept")])
    }

    private func appendToList(_ name: String) throws {
        let list = prefix + "/share/greenroom/installed-files"
        let text = String(decoding: try readFile(list), as: UTF8.self)
        try folder.write("usr local/share/greenroom/installed-files", text + name + "\n")
    }
}
