import Foundation
import TestSupport
import Testing

/// Verdicts that were wrong once: good plugins with faults, and wrong ones without.
@Suite(.ownThreads) struct VerdictTests {
    /// What `greenroom validate --format json` says of one plugin.
    private struct PluginReport: Decodable {
        var name: String
        var results: [ScheduledCheck]

        subscript(check: String) -> ScheduledCheck? { results.first { $0.check == check } }
    }

    private func validate(_ library: String, only checks: String...) throws -> [PluginReport] {
        let run = try Greenroom.start([
            "validate", library, "--format", "json", "--only", checks.joined(separator: ","),
        ]).wait(atMost: .seconds(300))
        return try JSONDecoder().decode([PluginReport].self, from: Data(run.standardOutput))
    }

    // MARK: Threads of Swift's own

    @Test func `plugins with Swift's own threads are checked by what they do`() throws {
        let reports = try validate(
            try TestPlugins.threads.get(), only: "lifecycle.joins", "lifecycle.refused-steps",
            "robustness.ungranted")
        #expect(reports.map(\.name) == ["RunLoop", "Dispatch", "Task", "Unjoined"])
        for report in reports.dropLast() {
            let faults = report.results.filter(\.isFault)
            #expect(faults.isEmpty, "\(report)")
            // Dispatch may end the process when it can open nothing: then its library is named.
            let refused = try #require(report["lifecycle.refused-steps"])
            #expect(
                refused.outcome == "passed"
                    || refused.outcome == "skipped" && refused.text.contains("lib"), "\(refused)")
            #expect(report["robustness.ungranted"]?.outcome == "passed", "\(report)")
        }
        let unjoined = try #require(reports.last?["lifecycle.joins"])
        #expect(unjoined.outcome == "failed", "\(unjoined)")
        #expect(unjoined.text.contains("stop-send returned while"), "\(unjoined)")
    }

    // MARK: Plugins in C

    /// A plugin of `Tests/WrongPlugins`, and what has to be said of it.
    struct Expected: CustomTestStringConvertible, Sendable {
        var file: String
        var check: String
        var outcome: String
        var words: String
        var testDescription: String { file }
    }

    static let expected = [
        Expected(
            file: "sound/too-much-of-a-tone", check: "sound.back-pressure", outcome: "failed",
            words: "at the same pace whether there is room or not"),
        Expected(
            file: "robustness/looks-around-late", check: "robustness.ungranted",
            outcome: "warning", words: "it tried to read /etc/"),
        Expected(
            file: "negotiation/wishes-in-its-answer", check: "negotiation.answer-in-offer",
            outcome: "warning", words: "set kind to GR_ANSWER_COUNTER"),
    ]

    @Test(arguments: expected) func `a fault is found that was none once`(plugin: Expected) throws {
        let reports = try validate(WrongPlugin.build("\(plugin.file).c"), only: plugin.check)
        let result = try #require(reports.first?[plugin.check])
        #expect(result.outcome == plugin.outcome, "\(result)")
        #expect(result.text.contains(plugin.words), "\(result)")
    }

    @Test func `what the sandbox refuses counts in all checks`() throws {
        // Three seconds after its start another check looks.
        let library = try WrongPlugin.build(
            "robustness/looks-around-late.c", ["-DLATE_MS=3000"], as: "looks-around-very-late")
        let reports = try validate(library, only: "robustness.stopped", "robustness.ungranted")
        #expect(reports.first?["robustness.stopped"]?.outcome == "passed", "\(reports)")
        let result = try #require(reports.first?["robustness.ungranted"])
        #expect(result.outcome == "warning", "\(result)")
        #expect(result.text.contains("/etc/"), "\(result)")
    }
}

extension TestPlugins {
    /// Cameras in Swift that send on threads of their own, built once.
    static let threads = Result {
        mkdir(folder, 0o777)
        let library = "\(folder)/threads.so"
        try compileSwift(
            Checkout.root + "/Tests/WrongPlugins/swift/Threads.swift", module: "Threads",
            into: library)
        return library
    }
}
