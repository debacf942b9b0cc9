import Testing
import TestSupport

/// The validator finds what is wrong, says so by the check that names it, and finds nothing else.
///
/// Each plugin is looked at by the checks of one group; `Tests/WrongPlugins/run.sh` has every check
/// look at every plugin.
@Suite struct WrongPluginTests {
    static let kinds = [
        "VIDEO_SOURCE", "VIRTUAL_MIC", "SHARE_SOURCE", "SHARE_AUDIO_SOURCE", "PRE_PROCESSOR",
    ]

    private func validate(_ library: String, _ words: [String]) throws -> (Finished, [CheckLine]) {
        let run = try Greenroom.start(["validate", library] + words).wait(atMost: .seconds(300))
        return (run, CheckLine.all(in: run.text))
    }

    @Test(arguments: try WrongPlugin.all())
    func `a wrong plugin is told by the check that names its fault`(plugin: WrongPlugin) throws {
        let (run, lines) = try validate(
            plugin.build(), ["--only", plugin.group] + plugin.validatorWords)
        let unsound = lines.filter { !$0.isSound }
        #expect(unsound.map(\.check) == [plugin.check], "\(plugin.fault)\n\(run.text)\n\(run)")
        #expect(unsound.allSatisfy { !$0.text.isEmpty }, "\(run.text)")
        #expect(run.exit != .code(0))
    }

    @Test(arguments: kinds)
    func `a good plugin passes`(kind: String) throws {
        let (run, lines) = try validate(WrongPlugin.buildGood(kind), [])
        let doubts = lines.filter { $0.outcome != "passed" && $0.outcome != "skipped" }
        #expect(!lines.isEmpty && doubts.isEmpty, "\(run.text)\n\(run)")
        #expect(run.exit == .code(0))
    }
}
