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
            name: "AlsaMicrophone", words: ["--set", "device=null"], warnings: ["sound.level"]),
        Shipped(name: "ColorBars"),
        Shipped(name: "ColorBarsShare"),
        Shipped(name: "Slides", words: ["--set", "path=\(media)/slides"]),
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
        let run = try Greenroom.start(["validate", plugin, "--format", "json"] + words)
            .wait(atMost: .seconds(600))
        let checks = try ScheduledCheck.all(in: run.standardOutput)
        let doubts = checks.filter { $0.isFault || $0.outcome == "warning" }
        #expect(doubts.map(\.check) == warnings, "\(doubts)")
        #expect(checks.count > 30)
        #expect(run.exit == .code(0), "\(run)")
    }

    /// By day, one of each kind.
    static let byDay = ["Adjust", "ColorBars", "ColorBarsShare", "Tone", "ToneShareAudio"]

    @Test(arguments: Nightly.list(shipped) { byDay.contains($0.name) })
    func `a bundled plugin conforms`(plugin: Shipped) throws {
        try expectConformance(plugin.name, plugin.words, warnings: plugin.warnings)
    }

    @Test(.enabled(if: Nightly.isOn)) func `the sample in C conforms`() throws {
        try expectConformance(try TestPlugins.cCamera(), [], warnings: [])
    }
}
