import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

extension ScanTests {
    @Test func `a scan of many libraries is announced once, and the next list is silent`() throws {
        let notice = "scanning plugins and effects; the next list is faster\n"
        let cache = ["XDG_CACHE_HOME": folder("empty"), "LADSPA_PATH": "-", "FREI0R_PATH": "-"]
        let first = try Greenroom.run("plugins", environment: cache)
        #expect(first.standardError == notice, "\(first)")
        let second = try Greenroom.run("plugins", environment: cache)
        #expect(second.standardError.isEmpty && second.text == first.text, "\(second)")
    }

    @Test func `an error names both libraries of a folder that have the same plugin`() throws {
        let folder = try TemporaryFolder()
        let library = try readFile(try TestPlugins.cCamera())
        for name in ["one.so", "two.so"] { try folder.write(name, library) }
        func info() throws -> Finished {
            try Greenroom.run(
                "plugin", "info", "CCamera", environment: ["GREENROOM_PLUGIN_PATH": folder.path])
        }
        let both = try info()
        #expect(both.exit == .code(65), "\(both)")
        for text in ["several libraries", folder("one.so"), folder("two.so")] {
            #expect(both.standardError.contains(text), "\(both)")
        }
        // The file that is named like the plugin is the one that is meant.
        rename(folder("two.so"), folder("libCCamera.so"))
        #expect(try info().exit == .code(0))
    }

    @Test func `a plugin on the path hides the bundled plugin of the same name`()
        throws
    {
        let folder = try TemporaryFolder()
        let (old, new) = (Array("CCamera".utf8), Array("Y4MFile".utf8))
        var library = try readFile(try TestPlugins.cCamera())
        for start in library.indices.dropLast(old.count)
        where library[start..<start + old.count].elementsEqual(old) {
            library.replaceSubrange(start..<start + old.count, with: new)
        }
        try folder.write("mine.so", library)
        let info = try Greenroom.run(
            "plugin", "info", "Y4MFile", environment: ["GREENROOM_PLUGIN_PATH": folder.path])
        #expect(
            info.exit == .code(0) && info.text.contains(folder("mine.so")), "\(info)\n\(info.text)")
    }

    @Test
    func `plugins that hang while loading are listed as refused beside other plugins`() throws {
        // One that spins takes a whole processor for five seconds.
        let all = Nightly.pairs(["CONSTRUCTOR", "ENTRY", "DESCRIPTOR"], ["hang", "spin"])
        for (place, action) in all { try put(action, in: place) }
        let run = try list()
        for (place, action) in all {
            let file = "\(place)-\(action).so"
            let line = try line(of: file, in: run)
            #expect(line.contains("refused: hangs while loading"), "\(line)")
            #expect(line.contains("Last seen at \(file)("), "\(line)")
        }
        #expect(run.text.contains("ColorBars"), "\(run.text)")
    }

    @Test func `a plugin that stops its process is listed`() throws {
        try put("stop", in: "CONSTRUCTOR")
        let line = try line(of: "CONSTRUCTOR-stop.so", in: try list())
        #expect(line.contains("stopped (SIGSTOP)"), "\(line)")
    }

    @Test(arguments: ["CONSTRUCTOR", "ENTRY", "DESCRIPTOR"])
    func `a plugin that kills its parent while loading does not end the host`(place: String) throws
    {
        try put("kill_parent", in: place)
        let line = try line(of: "\(place)-kill_parent.so", in: try list())
        #expect(line.contains("in process "), "\(line)")
    }

    @Test func `plugin info refuses a plugin that crashes, with the crash report`() throws {
        let library = try TestPlugins.loading("give_up", in: "ENTRY")
        let run = try Greenroom.run("plugin", "info", library, environment: environment)
        #expect(run.exit == .code(65), "\(run)")
        for words in [
            library, "crashes while loading", "SIGABRT", "I have no camera",
            "A scan has no grants", "denied: make",
        ] {
            #expect(run.standardError.contains(words), "\(run)")
        }
    }

    @Test(arguments: ["process", "host"])
    func `a session with a plugin that crashes while loading is refused`(
        isolation: String
    ) throws {
        let library = try TestPlugins.loading("crash", in: "CONSTRUCTOR")
        let file = try session(library, ", isolation: \(isolation)")
        for command in ["check", "run"] {
            let run = try Greenroom.run(command, file, environment: environment)
            #expect(run.exit == .code(65), "\(run)")
            #expect(run.standardError.hasPrefix("\(file):1:19: camera.plugin: "), "\(run)")
            #expect(run.standardError.contains("crashes while loading"), "\(run)")
        }
    }

    @Test func `plugin info shows a plugin's process and sandbox`() throws {
        let library = try TestPlugins.loading("nothing", in: "ENTRY")
        for (plugin, place) in [("Tone", "host"), (library, "process")] {
            let text = try Greenroom.run("plugin", "info", plugin, environment: environment).text
            #expect(
                text.contains("runs in \(place == "host" ? "the host's" : "a separate") process"),
                "\(text)")
            for layer in ["dies with host", "no new privileges", "Landlock", "seccomp"] {
                #expect(text.contains(layer), "says nothing of \(layer):\n\(text)")
            }
            let info = try json(
                try Greenroom.run("plugin", "info", plugin, "--json", environment: environment))
            #expect(info["isolation"] as? String == place)
            let layers = try #require(info["sandbox"] as? [[String: Any]])
            #expect(layers.contains { $0["layer"] as? String == "seccomp" })
            #expect(layers.allSatisfy { $0["available"] is Bool && $0["text"] is String })
        }
    }

    @Test func `a rebuilt plugin is scanned again`() throws {
        let file = "\(plugins)/a.so"
        _ = try TestPlugins.loading("nothing", in: "ENTRY", name: "First", as: file)
        #expect(try list().text.contains("First "))
        _ = try TestPlugins.loading("nothing", in: "ENTRY", name: "Second", as: file)
        let run = try list()
        #expect(run.text.contains("Second ") && !run.text.contains("First "), "\(run.text)")
    }

    @Test func `an unchanged plugin is scanned once, unless --rescan is given`() throws {
        _ = try TestPlugins.loading("nothing", in: "ENTRY", as: "\(plugins)/a.so")
        // The times of a newer file do not prove that it is unchanged.
        sleep(4)
        // It reports its process.
        let first = try line(of: "a.so", in: try list())
        #expect(try line(of: "a.so", in: try list()) == first)
        let again = try line(of: "a.so", in: try list("--rescan"))
        #expect(again != first)
        #expect(try line(of: "a.so", in: try list()) == again)
    }

    @Test func `a missing cache is not an error`() throws {
        _ = try TestPlugins.loading("nothing", in: "ENTRY", as: "\(plugins)/a.so")
        let file = try folder.write("file", "no folder")
        for changes: [String: String?] in [
            ["XDG_CACHE_HOME": "\(file)/cache"], ["XDG_CACHE_HOME": nil, "HOME": nil],
        ] {
            let run = try Greenroom.run(
                "plugins", environment: environment.merging(changes) { $1 })
            #expect(run.exit == .code(0), "\(run)")
            #expect(run.standardError.split(separator: "\n").count <= 1, "\(run)")
            #expect(run.text.contains("Loading ") && run.text.contains("Tone "), "\(run.text)")
        }
    }

    @Test func `a link to a plugin is a plugin`() throws {
        let elsewhere = try TestPlugins.loading("nothing", in: "ENTRY", as: folder("a.so"))
        symlink(elsewhere, "\(plugins)/link.so")
        #expect(try line(of: "link.so", in: try list()).contains("in process "))
    }
}
