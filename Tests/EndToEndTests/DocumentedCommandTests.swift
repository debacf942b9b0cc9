import Foundation
import TestSupport
import Testing

/// Tests that the commands in the README and the manual work as written.
///
/// It runs the indented lines of the README and every `sh` block, not blocks of other languages
/// such as `text`. RoomControlTests runs those that need a room.
@Suite(.ownThreads) struct DocumentedCommandTests {
    /// Command lines and their location.
    struct Commands: CustomTestStringConvertible, Sendable {
        var place: String
        var text: String
        var testDescription: String { place }
    }

    /// `.ci/run` and the documentation test run these.
    private static let runElsewhere = ["Samples/run.sh", "Tests/run.sh", "docs/build.sh"]

    static func commands() throws -> [Commands] {
        let readme = try Chapter(path: Checkout.root + "/README.md")
        let indented = readme.prose.split(separator: "\n").filter { $0.hasPrefix("    ") }
            .map { Commands(place: "README", text: String($0.dropFirst(4))) }
            .filter { !runElsewhere.contains($0.text) }
        let fenced = ([readme] + Chapter.manual).flatMap { page in
            page.blocks.filter { $0.language == "sh" && !$0.text.contains("$ROOM") }
                .map { Commands(place: "\(page.name), line \($0.line)", text: $0.text) }
        }
        return indented + fenced
    }

    @Test func `the README has the commands`() throws {
        let commands = try Self.commands()
        #expect(commands.contains { $0.place == "README" } && commands.count > 5)
    }

    @Test(arguments: try commands())
    func `a documented command works`(commands: Commands) throws {
        let folder = try Self.folder()
        let run = try ChildProcess.run(
            "sh", ["-euc", "cd '\(folder.path)'\n\(commands.text)"],
            environment: [
                "PATH": "\(folder("programs")):\(Checkout.products):/usr/local/bin:/usr/bin:/bin",
                "XDG_CACHE_HOME": Checkout.products + "/test-cache",
            ], atMost: .seconds(200))
        #expect(run.exit == .code(0), "\(commands.text)\n\(run)\n\(run.text)")
    }

    /// A folder like a checkout, with the files that the pages assume.
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for name in [".build", "Samples", "recordings/bars", "programs"] {
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
        // "Save it as bars.yaml", and its first recording.
        let page = try #require(Chapter.manual.first { $0.name == "RunASession" })
        let session = try #require(page.blocks.first { $0.language == "yaml" })
        try folder.write("bars.yaml", session.text)
        let recorded = try Greenroom.run(
            "run", folder("bars.yaml"), "--virtual-clock", "--set",
            "outputs=[{record: {folder: recordings/bars, overwrite: true}}]")
        #expect(recorded.exit == .code(0), "\(recorded)")
        // A plugin that the reader wrote.
        let plugin = try readFile(TestPlugins.cCamera())
        for name in ["camera.so", "my-camera.so"] { try folder.write(name, plugin) }
        // A player that is closed after a while.
        try folder.write("programs/ffplay", "#!/bin/sh\nhead -c 3000000 > /dev/null\n")
        try files.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder("programs/ffplay"))
        return folder
    }
}
