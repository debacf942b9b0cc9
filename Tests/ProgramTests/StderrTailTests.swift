import SessionTestSupport
import TestSupport
import Testing

/// What is told of plugins that break down before they have done anything, and of those that say
/// why.
@Suite(.ownThreads) struct StderrTailTests {
    /// Faults of `malformed.c` while it is loaded, and what is said of them.
    static let loading = [
        ("CRASHING_ENTRY", "SIGABRT"), ("CRASHING_LOADING", "SIGABRT"),
        ("LOADING_EXITS", "exited with status 0"), ("ENDLESS_ENTRY", "hangs while loading"),
        ("ENDLESS_LOADING", "hangs while loading"),
    ]

    @Test(arguments: loading)
    func `a library that crashes while loading is reported, without harm to others`(
        fault: String, words: String
    ) throws {
        let library = try TestPlugins.malformed(fault)
        let info = try Greenroom.run("plugin", "info", library)
        #expect(info.exit == .code(65), "\(info)")
        #expect(info.standardError.contains(library), "\(info)")
        #expect(info.standardError.contains(words), "\(info)")
        // The file's faults are told at their places, as of every plugin that can't be had.
        let session = try FileSession(
            "camera: \(FileSession.library(library, "", "isolation: process"))")
        let run = try session.run()
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.contains("camera.plugin: "), "\(run)")
        #expect(!session.folder.has("recording"), "nothing was recorded")
    }
}
