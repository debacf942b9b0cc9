import SessionTestSupport
import TestSupport
import Testing

/// Tests that the validator finds each fault with the right check, and nothing else.
///
/// Here each plugin runs through the check for its fault. `Tests/WrongPlugins/run.sh` runs every
/// check on every plugin.
@Suite(.ownThreads) struct WrongPluginTests {
    static let kinds = [
        "VIDEO_SOURCE", "VIRTUAL_MIC", "SHARE_SOURCE", "SHARE_AUDIO_SOURCE", "PRE_PROCESSOR",
        "OUTPUT", "CALL", "AUDIO_PRE_PROCESSOR",
    ]

    /// By day one for each check, the first by file name, and those that expect certain words.
    private static func some() throws -> [WrongPlugin] {
        var seen: Set<String> = []
        return Nightly.list(try WrongPlugin.all()) {
            seen.insert($0.check).inserted || $0.says != nil
        }
    }

    @Test(arguments: try some())
    func `the check for a fault reports the plugin that has it`(plugin: WrongPlugin) throws {
        func validate() throws -> (Validation, found: [ScheduledCheck]) {
            let validation = try Greenroom.validate(
                plugin.build(), ["--only", plugin.check] + plugin.validatorWords)
            return (validation, plugin.isOnlyWarned ? validation.warnings : validation.faults)
        }
        var (validation, found) = try validate()
        // What a plugin does in real time is not seen while the machine is busy: the check says nothing
        // then, rather than something false.
        for _ in 0..<3 where found.isEmpty && plugin.check.hasPrefix("robustness.") {
            (validation, found) = try validate()
        }
        #expect(found.map(\.check) == [plugin.check], "\(plugin.fault)\n\(validation)")
        #expect(
            found.allSatisfy { !$0.text.isEmpty && $0.text.contains(plugin.says ?? "") },
            "\(validation)")
        #expect(validation.faults.isEmpty == plugin.isOnlyWarned, "\(validation)")
        #expect(validation.run.exit == .code(plugin.isOnlyWarned ? 0 : 69), "\(validation)")
    }

    @Test(arguments: kinds)
    func `a correct plugin of each kind passes every check`(kind: String) throws {
        let validation = try Greenroom.validate(WrongPlugin.buildGood(kind))
        let doubts = validation.faults + validation.warnings
        #expect(!validation.checks.isEmpty && doubts.isEmpty, "\(validation)")
        #expect(validation.run.exit == .code(0))
    }
}
