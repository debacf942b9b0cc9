import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization
import TestSupport
import Testing

@testable import GreenroomHost

/// Scripts with several plugins, whose scan is replaced.
@Suite struct ScriptScanTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("bot.py", "")
    }

    private func descriptor(_ kind: PluginKind) -> PluginDescriptor {
        PluginDescriptor(
            kind: kind, id: "python.bot.\(kind.facts.word)", name: "Bot", version: "1.0.0",
            summary: "",
            parameters: [], needs: [])
    }

    /// A locator whose scans of scripts find an output and a microphone, or fail.
    private func locator(_ error: LoadError? = nil, _ scanned: @escaping @Sendable () -> Void)
        -> PluginLocator
    {
        let library = LibraryDescription(
            path: folder("bot.py"), minorVersion: 3,
            descriptors: [descriptor(.output), descriptor(.virtualMic)])
        let scans = ScriptScans { _, _ throws(LoadError) in
            scanned()
            if let error { throw error }
            return library
        }
        return PluginLocator(
            programs: "/opt/bin", pluginFolders: [],
            scanScript: { path, interpreter throws(LoadError) in
                try scans.examine(path, interpreter)
            }
        ) { path, _ throws(LoadError) in
            throw LoadError(code: .notFound, place: path, explanation: "")
        }
    }

    private final class Count: Sendable {
        let value = Atomic(0)
        func add() { value.add(1, ordering: .relaxed) }
        var now: Int { value.load(ordering: .relaxed) }
    }

    @Test func `a script with several plugins is scanned once, even if that fails`() throws {
        let scans = Count()
        let locator = locator { scans.add() }
        for kind in [PluginKind.output, .virtualMic, .output] {
            let found = try locator.find("./bot.py", kind: kind, relativeTo: folder.path)
            #expect(found.descriptor.kind == kind)
        }
        #expect(scans.now == 1)
        let failing = self.locator(
            LoadError(code: .crashes, place: "bot.py", explanation: "")
        ) { scans.add() }
        for _ in 0..<2 {
            #expect(throws: LoadError.self) {
                try failing.find("./bot.py", kind: .output, relativeTo: folder.path)
            }
        }
        #expect(scans.now == 2)
    }

    @Test func `the error for a kind that a script lacks says which kinds it has`() throws {
        let locator = locator {}
        let error = try #require(throws: LoadError.self) {
            try locator.find("./bot.py", kind: .shareSource, relativeTo: folder.path)
        }
        #expect(
            error.explanation.hasPrefix(
                "the script has Bot (output), Bot (microphone), and no share. Derive a class"),
            "\(error)")
        let several = try #require(throws: LoadError.self) {
            try locator.find("./bot.py", kind: nil, relativeTo: folder.path)
        }
        #expect(
            several.explanation.hasSuffix(
                "Name one: ./bot.py#python.bot.output, ./bot.py#python.bot.microphone."),
            "\(several)")
    }
}
