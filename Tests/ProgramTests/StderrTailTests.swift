import SessionTestSupport
import TestSupport
import Testing

/// What is told of plugins that break down before they have done anything, and of those that say
/// why.
@Suite(.ownThreads) struct StderrTailTests {
    @Test(.nightly) func `the last output of a Swift plugin is the message of its fatalError`()
        throws
    {
        let session = try TestSession(
            "camera: \(TestSession.library(try TestPlugins.fatal()))", maximum: "64x36@30",
            duration: "2s", clock: "virtual", isolation: nil)
        let run = try session.run()
        #expect(run.exit == .code(0), "\(run)")
        let report = try session.expectTrueReport(run)
        let losses = try report.plugin("camera").losses ?? []
        #expect(!losses.isEmpty, "\(run)")
        for loss in losses {
            #expect(loss.evidence.contains("Fatal error: the shutter is stuck"), "\(run)")
            #expect(loss.evidence.contains("fatal.so("), "where it was:\n\(run)")
        }
    }

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
        let session = try TestSession(
            "camera: \(TestSession.library(library, "", "isolation: process"))")
        let run = try session.run()
        #expect(run.exit == .code(65), "\(run)")
        #expect(run.standardError.contains("camera.plugin: "), "\(run)")
        #expect(!session.folder.has("recording"), "nothing was recorded")
    }
}
