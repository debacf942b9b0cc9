import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension LoadingTests {
    @Test func `a plugin without a fault is accepted`() throws {
        let run = try Greenroom.run("plugin", "info", try TestPlugins.malformed("NONE"))
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.contains("level"))
        #expect(!run.text.contains("mood"), "parameter_count is 1")
    }

    @Test func `a library without the entry is not a plugin`() throws {
        try expectRefusal(
            of: try TestPlugins.notAPlugin(), naming: ["not a plugin", "greenroom_plugin_entry"])
    }

    @Test func `a file that is not a library is refused`() throws {
        let folder = try TemporaryFolder()
        try expectRefusal(
            of: try folder.write("text.so", "Dear host,\n"), naming: ["not a shared library"])
        try expectRefusal(of: try folder.write("empty.so", ""), naming: ["not a shared library"])
        try expectRefusal(of: folder("absent.so"), naming: ["No such file"])
        let directory = folder("folder.so")
        mkdir(directory, 0o777)
        try expectRefusal(of: directory, naming: ["Is a directory"])
        let whole = try readFile(try TestPlugins.cCamera())
        try expectRefusal(
            of: try folder.write("half.so", Array(whole.prefix(whole.count / 2))),
            naming: ["truncated: \(whole.count / 2) of "])
    }

    @Test func `a folder on the path is listed with refused files`() throws {
        let folder = try TemporaryFolder()
        let libraries = [
            ("good.so", try TestPlugins.cCamera()),
            ("bad.so", try TestPlugins.malformed("WRONG_MAJOR")),
            ("none.so", try TestPlugins.notAPlugin()),
        ]
        for (name, library) in libraries { symlink(library, folder(name)) }
        try folder.write("notes.txt", "no library")
        let run = try Greenroom.run(
            "plugins", environment: ["GREENROOM_PLUGIN_PATH": folder.path])
        #expect(run.exit == .code(0), "\(run)")
        #expect(run.text.contains("CCamera"))
        let lines = run.text.split(separator: "\n")
        for (file, words) in [
            ("bad.so", "refused: built for major 2"),
            ("none.so", "refused: a shared library, but not a plugin"),
        ] {
            #expect(
                lines.contains { $0.hasPrefix(file) && $0.contains(words) }, "\(file):\n\(run.text)"
            )
        }
        #expect(!run.text.contains("notes.txt"))
    }
}
