import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// The folder for temporary files of an isolated plugin.
@Suite(.ownThreads) struct TemporaryFolderTests {
    /// The folder in which the host makes the plugins' folders.
    private let parent: TemporaryFolder

    init() throws { parent = try TemporaryFolder() }

    private func run(_ deed: String) throws -> Finished {
        let plugin = try WrongPlugin.build(
            "../HostilePlugins/temporary/temporary.c", ["-DDEED=\(deed)"],
            as: "temporary-\(deed)")
        let session = try FileSession(
            "camera: { plugin: \"\(plugin)\", memory-limit: 60 MB, on-failure: end }",
            duration: "2s", isolation: "process")
        return try session.run(environment: ["TMPDIR": parent.path])
    }

    @Test func `a plugin has a private temporary folder that is removed with its process`() throws {
        // A host that was killed left this folder.
        let old = parent("greenroom-plugin-000000")
        try FileManager.default.createDirectory(
            atPath: old + "/inner", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: old + "/inner/file"))
        let run = try run("uses")
        #expect(run.exit == .code(0), "\(run)")
        for line in [
            "mode: 448", "write: 5", "mkdir: 0", "rename: 0", "unlink: 0", "link: 0", "outside: 0",
            "large: 16777216",
        ] {
            #expect(run.standardError.contains("camera: \(line)\n"), "\(line) \(run)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: parent.path)
        #expect(left.isEmpty, "\(left)")
    }

    @Test(arguments: ["fills", "hides", "maps", "digs"])
    func `temporary files count as memory, whether or not they have a name`(deed: String) throws {
        let run = try run(deed)
        #expect(
            run.standardError.contains("of memory besides its frames, limit: 60 MB"), "\(run)")
        #expect(run.exit == .code(69), "\(run)")
    }
}
