import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that libraries are scanned in separate processes: a fault becomes a line in the table.
@Suite(.ownThreads) struct ScanTests {
    let folder: TemporaryFolder

    let plugins: String

    let environment: [String: String?]

    /// The cache of a scan of the bundled plugins, by file name: a scan of them all takes longer than
    /// what most of these tests look at.
    static let bundled = Result {
        let folder = try TemporaryFolder()
        let run = try Greenroom.run("plugins", environment: ["XDG_CACHE_HOME": folder.path])
        guard run.exit == .code(0) else { throw Failure("\(run)") }
        let cache = folder("greenroom/plugins")
        return try FileManager.default.contentsOfDirectory(atPath: cache).map { name in
            (name: name, bytes: try readFile("\(cache)/\(name)"))
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        plugins = folder("plugins")
        mkdir(plugins, 0o700)
        for part in ["cache", "cache/greenroom", "cache/greenroom/plugins"] {
            mkdir(folder(part), 0o700)
        }
        for (name, bytes) in try Self.bundled.get() {
            try folder.write("cache/greenroom/plugins/\(name)", bytes)
        }
        environment = [
            "GREENROOM_PLUGIN_PATH": plugins, "XDG_CACHE_HOME": folder("cache"),
            "GREENROOM_TEST_MARK": folder("mark"),
        ]
    }

    func put(_ action: String, in place: String) throws {
        _ = try TestPlugins.loading(action, in: place, as: "\(plugins)/\(place)-\(action).so")
    }

    func list(_ arguments: String...) throws -> Finished {
        let run = try Greenroom.start(["plugins"] + arguments, environment: environment)
            .wait()
        #expect(run.exit == .code(0), "\(run)")
        return run
    }

    func line(of file: String, in run: Finished) throws -> String {
        let lines = run.text.split(separator: "\n").map(String.init)
        return try #require(lines.first { $0.contains("\(plugins)/\(file)") }, "\(run.text)")
    }

    func json(_ run: Finished) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(run.standardOutput))
        return try #require(value as? [String: Any])
    }

    // MARK: A line in the table

    static let deaths = [
        ("crash", "killed by SIGSEGV"), ("overflow", "killed by SIGSEGV"),
        ("give_up", "killed by SIGABRT; last output: I have no camera"),
        ("leave", "exited with status 0"),
    ]

    @Test(arguments: ["CONSTRUCTOR", "ENTRY", "DESCRIPTOR"])
    func `a plugin that crashes while loading is listed with the crash report`(place: String) throws
    {
        for (action, _) in Self.deaths { try put(action, in: place) }
        let run = try list()
        #expect(run.text.contains("ColorBars"), "\(run.text)")
        for (action, words) in Self.deaths {
            let file = "\(place)-\(action).so"
            let line = try line(of: file, in: run)
            #expect(
                line.wholeMatch(of: #/\S+ +- +- +\S.*refused: crashes while loading: .*/#)
                    != nil && line.hasPrefix(file) && line.contains(words), "\(line)")
            // All but one report their process.
            #expect(line.contains("; at \(file)(") == (action != "leave"), "\(line)")
        }
        let refused = try #require(try json(try list("--json"))["refused"] as? [[String: Any]])
        #expect(refused.map { $0["code"] as? String } == Array(repeating: "crashes", count: 4))
        #expect(
            refused.compactMap { $0["library"] as? String }
                == Self.deaths.map { "\(plugins)/\(place)-\($0.0).so" }.sorted())
    }

    // MARK: The scanning process

    func session(_ library: String, _ more: String) throws -> String {
        try folder.write("s.yaml", "camera: { plugin: \"\(library)\"\(more) }\n")
    }

    @Test func `no code of a plugin runs in the host's process`() throws {
        let library = try TestPlugins.loading("nothing", in: "ENTRY", as: "\(plugins)/a.so")
        let isolated = try session(library, ", isolation: process")
        for arguments in [
            ["plugins"], ["plugins", "--rescan"], ["plugin", "info", library],
            ["plugin", "info", library, "--rescan"], ["check", isolated],
            ["run", isolated, "--duration", "500ms"],
        ] {
            let child = try Greenroom.start(arguments, environment: environment)
            let run = child.wait()
            #expect(!folder.has("mark"), "\(run)")
            guard arguments.last == "--rescan" else { continue }
            #expect(run.text.contains("child of "), "\(run.text)")
            #expect(!run.text.contains("in process \(child.id)"), "\(run.text)")
        }
        // It could have created the file.
        let host = try Greenroom.start(
            ["check", try session(library, ", isolation: host")], environment: environment)
        let run = host.wait()
        #expect(run.exit == .code(69), "its create fails: \(run)")
        let processes = String(decoding: try readFile(folder("mark")), as: UTF8.self)
        #expect(processes.hasPrefix("\(host.id)\n"), "\(processes)")
    }
}
