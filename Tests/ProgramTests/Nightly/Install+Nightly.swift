import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension InstallTests {
    @Test func `a plugin of several files is installed and removed with all of them`()
        throws
    {
        try makeCamera("libcam.so", answer: 1)
        let plugins = folder("home/.local/lib/greenroom/plugins")
        let added = try built("plugin", "install", folder("dev/libcam.so"))
        #expect(added.text.contains("with deps/libhelper.so.1, cam.resources"), "\(added.text)")
        let installed = try files(below: plugins)
        #expect(
            installed.map { $0.dropFirst(plugins.count + 1) } == [
                "cam.resources/words.txt", "deps/libhelper.so.1", "libcam.so",
            ], "\(installed)")
        try folder.write(
            "session.yaml",
            """
            session: { duration: 1s, maximum: 320x180@15, clock: virtual }
            camera: { plugin: CCamera }
            outputs: [{ record: recording }]
            """)
        let run = try built("run", folder("session.yaml"))
        #expect(run.standardError.contains("15 frames"), "\(run)")

        // Names of others are refused, and nothing of a refused plugin stays.
        try compile(
            folder("helper.c"), "dev/deps/libhelper.so.1.0", "-Wl,-soname,libhelper.so.1", "-g")
        let tone = Checkout.root + "/Tests/WrongPlugins/good.c"
        try compile(
            tone, "dev/other.so", "-D_GNU_SOURCE", "-DKIND=GR_KIND_VIRTUAL_MIC",
            "-Wl,--no-as-needed",
            folder("dev/deps/libhelper.so.1"), "-Wl,-rpath,$ORIGIN/deps")
        let taken = try built("plugin", "install", folder("dev/other.so"), exit: 65)
        #expect(taken.standardError.contains("and belongs to libcam.so"), "\(taken)")
        #expect(try files(below: plugins) == installed)

        // A new version takes the old files away.
        try makeCamera("libcam.so", answer: 2)
        rename(folder("dev/cam.resources"), folder("dev/libcam.resources"))
        _ = try built("plugin", "install", folder("dev/libcam.so"), "--replace")
        #expect(try readFile(plugins + "/libcam.resources/words.txt") == Array("2".utf8))
        #expect(access(plugins + "/cam.resources", F_OK) != 0)

        symlink("/etc/passwd", folder("dev/libcam.resources/link"))
        let linked = try built("plugin", "install", folder("dev/libcam.so"), "--replace", exit: 65)
        #expect(linked.standardError.contains("links are not followed"), "\(linked)")
        #expect(access(plugins + "/libcam.so", F_OK) == 0)

        _ = try built("plugin", "remove", "CCamera")
        #expect(try files(below: plugins).isEmpty)
        #expect(rmdir(plugins) == 0, "no folder is left in it")
    }

    @Test
    func
        `a plugin with too many bytes is refused, and the leftovers of a killed install are removed`()
        throws
    {
        try makeCamera("libcam.so", answer: 1)
        let plugins = folder("home/.local/lib/greenroom/plugins")
        let large = try folder.write("dev/cam.resources/large.bin", "")
        // A file with a hole takes no space.
        #expect(truncate(large, 1_000_000_001) == 0)
        let refused = try built("plugin", "install", folder("dev/libcam.so"), exit: 65)
        #expect(
            refused.standardError.contains("the plugin has more than 1000 MB with its files"),
            "\(refused)")
        #expect(refused.text.isEmpty, "it was not validated: \(refused.text)")
        #expect(try files(below: plugins).isEmpty)

        unlink(large)
        for name in [".installing-1", ".installing-2"] {
            mkdir("\(plugins)/\(name)", 0o700)
            symlink("/etc/passwd", "\(plugins)/\(name)/0")
        }
        // The folder of an install that still runs.
        let other = open("\(plugins)/.installing-2", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        _ = try built("plugin", "install", folder("dev/libcam.so"))
        #expect(access("\(plugins)/.installing-1", F_OK) != 0)
        #expect(access("\(plugins)/.installing-2", F_OK) == 0)
        close(other)
        _ = try built("plugin", "install", folder("dev/libcam.so"), "--replace")
        let all = try ChildProcess.run("find", [plugins, "-name", ".*"]).text
        #expect(all.isEmpty, "\(all)")
    }

    @Test
    func `an installation reports accesses that a plugin tried without a grant`() throws {
        let wrong = try WrongPlugin(file: "robustness/looks-around.c")
        let added = try built("plugin", "install", try wrong.build())
        #expect(!added.text.contains("conforms without grants"), "\(added.text)")
        #expect(added.text.contains("tried what was not granted"), "\(added.text)")
        #expect(
            added.text.contains("/etc/shadow") && added.text.contains("network"), "\(added.text)")
    }

    @Test func `an installed program works with its plugins, and its removal leaves nothing`()
        throws
    {
        let installed = try install("--built")
        #expect(installed.exit == .code(0), "\(installed)")
        for name in [
            "bin/greenroom", "bin/greenroom-runner", "include/greenroom/plugin.h",
            "lib/greenroom/libTone.so", "lib/pkgconfig/greenroom.pc",
            "lib/systemd/system/greenroom@.service", "share/greenroom/session.schema.json",
            "share/greenroom/sdk/Package.swift", "share/man/man1/greenroom.1",
            "share/man/man1/greenroom-run.1", "share/man/man1/greenroom-sessions.1",
            "share/man/man1/greenroom-plugin-install.1",
            "share/bash-completion/completions/greenroom", "share/zsh/site-functions/_greenroom",
            "share/fish/vendor_completions.d/greenroom.fish", "share/doc/greenroom/LICENSE",
            "share/doc/greenroom/manual/install.md", "share/doc/greenroom/book/write-a-camera.md",
            "share/doc/greenroom/images/session.svg", "share/greenroom/sdk/docs/book/README.md",
        ] {
            #expect((try? readFile(prefix + "/" + name))?.isEmpty == false, "\(name)")
        }
        let unit = String(
            decoding: try readFile(prefix + "/lib/systemd/system/greenroom@.service"), as: UTF8.self
        )
        // A wrong session file is wrong the next time, too.
        for line in [
            "ExecStart=\(prefix)/bin/greenroom run /etc/greenroom/%i.yaml",
            "RestartPreventExitStatus=64 65",
        ] {
            #expect(unit.split(separator: "\n").contains { $0 == line }, "\(unit)")
        }
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
            added.text.contains("CCamera") && added.text.contains("conforms without grants"),
            "\(added)")
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
                "swift", ["build", "-c", "release", "--package-path", folder("my-camera")])
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

    /// Runs the program that was built, for the user of the tests.
    private func built(
        _ arguments: String..., exit: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Finished {
        let run = try ChildProcess.run(
            Checkout.greenroom, arguments, environment: environment)
        #expect(run.exit == .code(exit), "\(run)", sourceLocation: sourceLocation)
        return run
    }

    /// A camera that needs a library in `deps` and has resources.
    private func makeCamera(_ name: String, answer: Int) throws {
        for made in ["dev", "dev/deps", "dev/cam.resources"] { mkdir(folder(made), 0o755) }
        let helper = try folder.write("helper.c", "int helper(void) { return \(answer); }\n")
        try compile(helper, "dev/deps/libhelper.so.1.0", "-Wl,-soname,libhelper.so.1")
        symlink("libhelper.so.1.0", folder("dev/deps/libhelper.so.1"))
        try folder.write("dev/cam.resources/words.txt", "\(answer)")
        try compile(
            Checkout.root + "/Samples/c-camera/camera.c", "dev/\(name)", "-Wl,--no-as-needed",
            folder("dev/deps/libhelper.so.1"), "-Wl,-rpath,$ORIGIN/deps")
    }

    private func appendToList(_ name: String) throws {
        let list = prefix + "/share/greenroom/installed-files"
        let text = String(decoding: try readFile(list), as: UTF8.self)
        try folder.write("usr local/share/greenroom/installed-files", text + name + "\n")
    }

    /// Builds a library in C in the folder.
    private func compile(_ source: String, _ library: String, _ words: String...) throws {
        let run = try ChildProcess.run(
            "cc",
            ["-shared", "-fPIC", "-pthread", "-I", Checkout.include, source, "-o", folder(library)]
                + words)
        guard run.exit == .code(0) else { throw Failure("\(run)") }
    }
}
