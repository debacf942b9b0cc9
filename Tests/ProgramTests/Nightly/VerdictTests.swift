import SessionTestSupport
import TestSupport
import Testing

/// Verdicts that were wrong once, of good plugins that were found at fault; and what checks find
/// together.
@Suite(.ownThreads) struct VerdictTests {
    private func validate(_ library: String, only checks: String...) throws
        -> [ScheduledCheck.Report]
    {
        try Greenroom.validate(library, ["--only", checks.joined(separator: ",")]).reports
    }

    // MARK: Threads of Swift's own

    @Test func `plugins with Swift's own threads are checked by their behaviour`() throws {
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

    @Test(.enabled(if: Nightly.isOn, "at night: the runtime has 70 MB"))
    func `the Swift runtime is recognised when it is linked into the plugin`() throws {
        let folder = try TemporaryFolder()
        try TestPlugins.compileSwift(
            Checkout.root + "/Tests/WrongPlugins/swift/Threads.swift", module: "Threads",
            into: folder("static.so"), ["-static-stdlib"])
        let reports = try validate(folder("static.so"), only: "lifecycle.refused-steps")
        #expect(reports.map(\.name) == ["RunLoop", "Dispatch", "Task", "Unjoined"])
        for report in reports {
            let refused = try #require(report["lifecycle.refused-steps"])
            #expect(
                refused.outcome == "passed"
                    || refused.outcome == "skipped"
                        && refused.text.contains(", linked into the plugin, ends the process"),
                "\(refused)")
        }
    }

    // MARK: Plugins in C

    @Test func `accesses that the sandbox refuses count in all checks`() throws {
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
        try buildSwift(
            "threads", from: Checkout.root + "/Tests/WrongPlugins/swift/Threads.swift",
            module: "Threads")
    }
}
