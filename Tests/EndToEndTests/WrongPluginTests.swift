import TestSupport
import Testing

/// Tests that the validator finds each fault with the right check, and nothing else.
///
/// Here each plugin runs through the check for its fault. `Tests/WrongPlugins/run.sh` runs every
/// check on every plugin.
@Suite(.ownThreads) struct WrongPluginTests {
    static let kinds = [
        "VIDEO_SOURCE", "VIRTUAL_MIC", "SHARE_SOURCE", "SHARE_AUDIO_SOURCE", "PRE_PROCESSOR",
    ]

    private func validate(
        _ library: String, _ words: [String]
    ) throws -> (run: Finished, checks: [ScheduledCheck]) {
        let run = try Greenroom.start(["validate", library, "--format", "json"] + words)
            .wait(atMost: .seconds(300))
        return (run, try ScheduledCheck.all(in: run.standardOutput))
    }

    /// By day one for each check: the first by file name.
    private static func some() throws -> [WrongPlugin] {
        var seen: Set<String> = []
        return Nightly.list(try WrongPlugin.all()) { seen.insert($0.check).inserted }
    }

    @Test(arguments: try some())
    func `a wrong plugin is reported by the check that names its fault`(plugin: WrongPlugin) throws
    {
        let (run, checks) = try validate(
            plugin.build(), ["--only", plugin.check] + plugin.validatorWords)
        guard !plugin.isOnlyWarned else {
            let warnings = checks.filter { $0.outcome == "warning" }
            #expect(
                warnings.map(\.check) == [plugin.check] && !checks.contains(where: \.isFault),
                "\(plugin.fault)\n\(run.text)\n\(run)")
            #expect(run.exit == .code(0))
            return
        }
        let faults = checks.filter(\.isFault)
        #expect(faults.map(\.check) == [plugin.check], "\(plugin.fault)\n\(run.text)\n\(run)")
        #expect(faults.allSatisfy { !$0.text.isEmpty }, "\(run.text)")
        #expect(run.exit == .code(69))
    }

    @Test(.enabled(if: Nightly.isOn), arguments: kinds)
    func `a good plugin passes`(kind: String) throws {
        let (run, checks) = try validate(WrongPlugin.buildGood(kind), [])
        let doubts = checks.filter { $0.isFault || $0.outcome == "warning" }
        #expect(!checks.isEmpty && doubts.isEmpty, "\(run.text)\n\(run)")
        #expect(run.exit == .code(0))
    }
}
