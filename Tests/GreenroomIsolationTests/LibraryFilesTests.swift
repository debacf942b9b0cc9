import Glibc
import TestSupport
import Testing

@testable import GreenroomIsolation

/// Which files a plugin's process may read because they are the plugin.
@Suite(.ownThreads) struct LibraryFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Builds a library that needs others.
    private func build(_ name: String, _ words: String...) throws {
        let source = try folder.write("\(name.replacing("/", with: "-")).c", "int unused;\n")
        let build = try ChildProcess.run(
            "cc", ["-shared", "-fPIC", source, "-o", folder(name), "-Wl,--no-as-needed"] + words)
        guard build.exit == .code(0) else { throw Failure("\(build)") }
        unlink(source)
    }

    private func files(of name: String = "libcam.so") -> [String] {
        LibraryFiles.of(folder(name)).map {
            $0.hasPrefix(folder.path + "/") ? String($0.dropFirst(folder.path.count + 1)) : $0
        }
    }

    @Test func `a library without dependencies is granted without its neighbours`() throws {
        try build("libcam.so")
        try build("libother.so")
        try folder.write("id_rsa", "secret")
        mkdir(folder("other.resources"), 0o755)
        #expect(files() == ["libcam.so"])
        #expect(symlink("libcam.so", folder("link.so")) == 0)
        #expect(files(of: "link.so") == ["libcam.so"])
    }

    @Test(arguments: ["--enable-new-dtags", "--disable-new-dtags"])
    func `dependencies in folders relative to a library are granted with the library`(tags: String)
        throws
    {
        mkdir(folder("deps"), 0o755)
        try build("deps/libb.so")
        try build("deps/liba.so", "-L\(folder("deps"))", "-lb", "-Wl,-rpath,$ORIGIN")
        try build(
            "libcam.so", "-L\(folder("deps"))", "-la", "-Wl,-rpath-link,\(folder("deps"))",
            "-Wl,-rpath,/nowhere:${ORIGIN}/deps", "-Wl,\(tags)")
        #expect(files() == ["libcam.so", "deps/liba.so", "deps/libb.so"])
    }

    @Test func `an RPATH applies to dependencies of dependencies, and a RUNPATH does not`() throws {
        mkdir(folder("deps"), 0o755)
        try build("deps/libb.so")
        try build("deps/liba.so", "-L\(folder("deps"))", "-lb")
        for (tags, expected) in [("disable", 3), ("enable", 2)] {
            try build(
                "libcam.so", "-L\(folder("deps"))", "-la", "-Wl,-rpath-link,\(folder("deps"))",
                "-Wl,-rpath,$ORIGIN/deps", "-Wl,--\(tags)-new-dtags")
            #expect(files().count == expected, "\(files())")
        }
    }

    @Test
    func `a library behind a link is granted at the path where the loader looks for it`() throws {
        mkdir(folder("deps"), 0o755)
        try build("deps/libb.so.1.0", "-Wl,-soname,libb.so.1")
        #expect(symlink("libb.so.1.0", folder("deps/libb.so.1")) == 0)
        try build("libcam.so", folder("deps/libb.so.1"), "-Wl,-rpath,$ORIGIN/x/../deps")
        mkdir(folder("x"), 0o755)
        let part = LibraryFiles.parts(of: folder("libcam.so")).last
        #expect(part?.path == folder("deps/libb.so.1.0"))
        #expect(part?.place == folder("deps/libb.so.1"))
    }

    @Test
    func `a file with the name of a dependency that is not a library is not granted`() throws {
        try build("libsecret.so", "-Wl,-soname,id_rsa")
        try build(
            "libcam.so", "-L\(folder.path)", "-lsecret", "-Wl,-rpath,$ORIGIN:$ORIGIN/.ssh")
        try folder.write("id_rsa", "secret")
        #expect(files() == ["libcam.so"])
    }

    @Test func `a library's resource folders are granted, but not links to folders`() throws {
        try build("libcam.so")
        for name in ["cam.resources", "libcam.resources", "Package_cam.resources"] {
            mkdir(folder(name), 0o755)
        }
        #expect(symlink("/", folder("x_cam.resources")) == 0)
        try folder.write("y_cam.resources", "a file")
        #expect(
            files() == [
                "libcam.so", "Package_cam.resources", "cam.resources", "libcam.resources",
            ])
    }

    @Test func `a damaged library does not crash the search for its dependencies`() throws {
        try build("libcam.so", "-Wl,-rpath,$ORIGIN")
        let whole = try readFile(folder("libcam.so"))
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<8 {
                bytes[random.integer(0..<min(bytes.count, 4096))] = UInt8(random.integer(0..<256))
            }
            bytes.removeLast(random.integer(0..<bytes.count) / 2)
            try folder.write("broken.so", bytes)
            // Any answer, and no crash.
            #expect(LibraryFiles.of(folder("broken.so")).count < 100)
        }
        #expect(LibraryFiles.of(folder("none.so")) == [folder("none.so")])
    }
}
