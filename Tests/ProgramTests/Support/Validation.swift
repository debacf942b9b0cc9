import Foundation
import SessionTestSupport
import TestSupport

/// A run of `greenroom validate --format json`.
struct Validation: CustomStringConvertible {
    var run: Finished
    /// One for each plugin of the library.
    var reports: [ScheduledCheck.Report]

    /// All checks of all plugins.
    var checks: [ScheduledCheck] { reports.flatMap(\.results) }
    /// The checks that found a fault.
    var faults: [ScheduledCheck] { checks.filter(\.isFault) }
    /// The checks that warn.
    var warnings: [ScheduledCheck] { checks.filter { $0.outcome == "warning" } }

    /// All results and the run: the comment of an expectation.
    var description: String { "\(run.text)\n\(run)" }
}

/// The result of a check.
struct ScheduledCheck: Decodable {
    /// The results for one plugin.
    struct Report: Decodable {
        var name: String
        var results: [ScheduledCheck]

        subscript(check: String) -> ScheduledCheck? { results.first { $0.check == check } }
    }

    var check: String
    var outcome: String
    var text: String
    /// The check whose fault blocks this one.
    var blockedBy: String?

    /// Whether the check found a fault.
    var isFault: Bool { !["passed", "warning", "skipped", "not-proven"].contains(outcome) }
}

extension Greenroom {
    /// Validates a plugin or a library.
    static func validate(
        _ library: String, _ arguments: [String] = []
    ) throws -> Validation {
        let run = try start(["validate", library, "--format", "json"] + arguments)
            .wait()
        let reports = try JSONDecoder().decode(
            [ScheduledCheck.Report].self, from: Data(run.standardOutput))
        return Validation(run: run, reports: reports)
    }
}
