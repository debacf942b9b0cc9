import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests that the commands in the README and the manual work as written.
///
/// It runs the indented lines of the README and every `sh` block, not blocks of other languages
/// such as `text`; of the text only the README's. RoomControlTests runs those that need a room.
@Suite(.ownThreads) struct DocumentedCommandTests {
    /// Command lines and their location.
    struct Commands: CustomTestStringConvertible, Sendable {
        var place: String
        var text: String
        var testDescription: String { place }
    }

    /// `.ci/run` runs these, and `Tests/Service/wheel.sh` the last.
    private static let runElsewhere = [
        "Samples/run.sh", "Tests/run.sh",
        "pip install .build/wheel/greenroom-*.whl && greenroom run session.yaml",
    ]

    /// Its commands need an X server: `ScreenTests` runs them.
    static let pageOfScreens = "share-a-screen"

    static func commands() throws -> [Commands] {
        let readme = try Chapter(path: Checkout.root + "/README.md")
        let indented = readme.prose.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { Commands(place: "README", text: String($0.dropFirst(4))) }
            .filter { !runElsewhere.contains($0.text) }
        let pages = Chapter.manual.filter { $0.name != pageOfScreens }
        let fenced = ([readme] + pages).flatMap { page in
            page.blocks.filter { $0.language == "sh" && !$0.text.contains("$ROOM") }
                .map { Commands(place: "\(page.name), line \($0.line)", text: $0.text) }
        }
        return indented + fenced
    }

    @Test func `commands are found in the README and other pages`() throws {
        let commands = try Self.commands()
        #expect(commands.contains { $0.place == "README" } && commands.count > 5)
    }

    @Test(arguments: try commands())
    func `a documented command works`(commands: Commands) throws {
        let folder = try Self.folder(for: commands.text)
        let run = try ChildProcess.run(
            "sh", ["-euc", "cd '\(folder.path)'\n\(commands.text)"],
            environment: Self.environment(in: folder))
        // By day a slow machine may leave a session without real media, which is exit code 66.
        let codes: [Exit] = Nightly.isOn ? [.code(0)] : [.code(0), .code(66)]
        #expect(codes.contains(run.exit), "\(commands.text)\n\(run)\n\(run.text)")
    }

    private static func environment(in folder: TemporaryFolder) -> [String: String?] {
        [
            "PATH": "\(folder("programs")):\(Checkout.products):/usr/local/bin:/usr/bin:/bin",
            "XDG_CACHE_HOME": Checkout.products + "/test-cache",
        ]
    }

    @Test func `the commands in the text of the README work`() throws {
        let readme = try Chapter(path: Checkout.root + "/README.md")
        let commands = readme.prose.matches(of: #/`([^`]*greenroom (preview|live) [^`]+)`/#)
        #expect(Set(commands.map { String($0.2) }) == ["preview", "live"])
        for command in commands {
            let folder = try Self.folder(for: "")
            let words = command.1.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let process = try ChildProcess(
                "sh", ["-euc", "cd '\(folder.path)' && exec \(words)"],
                environment: Self.environment(in: folder))
            if command.2 == "live" {
                #expect(
                    process.waitForErrors(containing: "operators: http"),
                    "\(process.errorsSoFar)")
                process.signal(SIGINT)
            }
            let run = process.wait()
            #expect(run.exit == .code(command.2 == "live" ? 130 : 0), "\(words)\n\(run)")
            #expect(command.2 == "live" || folder.has("color-bars.png"), "\(words)")
        }
    }

    /// The session of the page "Run a session", which readers save as `bars.yaml`.
    private static let bars = Result {
        let blocks = try Chapter.manual("run-a-session").blocks
        return try #require(blocks.first { $0.language == "yaml" }).text
    }

    /// The files of its recording, made once, and small: only players read them.
    private static let recording = Result {
        let folder = try TemporaryFolder()
        try folder.write("bars.yaml", try bars.get())
        let recorded = try Greenroom.run(
            "run", folder("bars.yaml"), "--virtual-clock", "--set", "session.maximum=320x180@30",
            "--set", "outputs=[{record: recordings/bars}]")
        guard recorded.exit == .code(0) else { throw Failure("\(recorded)") }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder("recordings/bars"))
        return try names.map { (name: $0, bytes: try readFile(folder("recordings/bars/\($0)"))) }
    }

    /// A folder like a checkout, with the files that the pages assume.
    private static func folder(for commands: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for name in [".build", "Samples", "recordings", "programs"] {
            try files.createDirectory(
                atPath: folder(name), withIntermediateDirectories: true)
        }
        for (name, target) in [("release", Checkout.products), ("media", MainJobTests.media)] {
            try files.createSymbolicLink(
                atPath: folder(".build/" + name), withDestinationPath: target)
        }
        for file in try SampleTests.files() where !file.contains("/") {
            try files.copyItem(
                atPath: "\(SampleTests.folder)/\(file)", toPath: folder("Samples/" + file))
        }
        try folder.write("bars.yaml", try bars.get())
        if commands.contains("recordings/bars") {
            mkdir(folder("recordings/bars"), 0o755)
            for (name, bytes) in try recording.get() {
                try folder.write("recordings/bars/\(name)", bytes)
            }
        }
        // A plugin that the reader wrote.
        let plugin = try readFile(TestPlugins.cCamera())
        for name in ["camera.so", "my-camera.so"] { try folder.write(name, plugin) }
        // A player that is closed after a while.
        try folder.writeProgram("programs/ffplay", "#!/bin/sh\nhead -c 3000000 > /dev/null\n")
        return folder
    }
}
