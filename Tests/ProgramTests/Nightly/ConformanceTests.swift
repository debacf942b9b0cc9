import SessionTestSupport
import TestSupport
import Testing

/// Tests that our own plugins pass the checks for plugins.
@Suite(.ownThreads) struct ConformanceTests {
    /// A plugin, and the arguments of its validation.
    struct Shipped: CustomTestStringConvertible, Sendable {
        var name: String
        var words: [String] = []
        /// Checks that must warn, because of the content that the plugin plays.
        var warnings: [String] = []

        var testDescription: String { name }
    }

    private static let media = Checkout.root + "/.build/media"

    static let shipped = [
        Shipped(name: "Adjust"),
        Shipped(
            name: "AlsaMicrophone", words: ["--set", "device=null"], warnings: ["audio.level"]),
        Shipped(name: "ColorBars"),
        Shipped(name: "ColorBarsShare"),
        Shipped(name: "LoopbackCall"),
        Shipped(
            // The largest start is behind the end of the file.
            name: "Media", words: ["--set", "file=\(media)/street.mkv"],
            warnings: ["video.range", "parameter.bounds"]),
        Shipped(
            name: "MediaAudio", words: ["--set", "file=\(media)/street.mkv"],
            warnings: ["parameter.bounds"]),
        Shipped(
            name: "MediaShare", words: ["--set", "file=\(media)/street.mkv"],
            warnings: ["video.range", "parameter.bounds"]),
        Shipped(
            name: "MediaShareAudio", words: ["--set", "file=\(media)/street.mkv"],
            warnings: ["parameter.bounds"]),
        Shipped(name: "Slides", words: ["--set", "path=\(media)/slides"]),
        // fontconfig locks its cache when it looks for fonts again, after 30 s of virtual time.
        Shipped(
            name: "Text", words: ["--set", "text=Title"], warnings: ["robustness.ungranted"]),
        Shipped(
            name: "TextShare", words: ["--set", "text=Title"], warnings: ["robustness.ungranted"]),
        Shipped(name: "Tone"),
        Shipped(name: "ToneShareAudio"),
        Shipped(name: "Watermark", words: ["--set", "path=\(media)/logo.png"]),
        Shipped(name: "WaveFile", words: ["--set", "path=\(media)/voices.wav"]),
        Shipped(name: "WaveFileShareAudio", words: ["--set", "path=\(media)/voices.wav"]),
        Shipped(
            name: "Y4MFile", words: ["--set", "path=\(media)/street.y4m"],
            warnings: ["video.range"]),
    ]

    private func expectConformance(_ plugin: String, _ words: [String], warnings: [String]) throws {
        let validation = try Greenroom.validate(plugin, words)
        #expect(validation.faults.isEmpty, "\(validation)")
        #expect(validation.warnings.map(\.check) == warnings, "\(validation)")
        #expect(validation.checks.count > 30)
        #expect(validation.run.exit == .code(0), "\(validation)")
    }

    /// By day one of each kind that no other test validates: `NewCommandTests` validates a camera, a
    /// microphone and an output, and share audio is checked as a microphone is.
    static let byDay = ["Adjust", "ColorBarsShare", "LoopbackCall"]

    @Test(arguments: Nightly.list(shipped) { byDay.contains($0.name) })
    func `a bundled plugin conforms`(plugin: Shipped) throws {
        try expectConformance(plugin.name, plugin.words, warnings: plugin.warnings)
    }

    @Test func `the sample in C conforms`() throws {
        try expectConformance(try TestPlugins.cCamera(), [], warnings: [])
    }
}
