import Glibc
import GreenroomConfig
import GreenroomSchema
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomValidator

/// The last validation result of a plugin.
enum Conformance {
    case unknown
    /// The library has changed since the validation.
    case stale(ConformanceReport)
    /// Another version of Greenroom validated the library.
    case outdated(ConformanceReport)
    case known(ConformanceReport)

    init(of plugin: PluginDescriptor, in library: LibraryDescription) {
        self = .unknown
        guard let path = resolvedPath(library.path),
            let kept = ReportCache.ofThisUser?.report(of: plugin.id, at: path),
            let report = ConformanceReport(json: String(decoding: kept, as: UTF8.self))
        else { return }
        guard LibraryHash.hexadecimal(of: path) == report.sha256 else {
            self = .stale(report)
            return
        }
        self = report.host == GreenroomVersion.current ? .known(report) : .outdated(report)
    }

    /// The report of a current validation; nil if none.
    var report: ConformanceReport? {
        if case .known(let report) = self { report } else { nil }
    }

    /// The word for a table's column.
    var word: String {
        switch self {
        case .unknown: "-"
        case .stale, .outdated: "stale"
        case .known(let report):
            report.finding(in: "\(report.faults.count) of \(report.results.count) fail")
                + report.circumstances(report.shortConditions)
        }
    }

    /// The text for a separate line.
    var text: String {
        switch self {
        case .unknown: "not yet; run greenroom validate"
        case .stale(let report):
            "on \(report.date), but the library has changed since; run greenroom validate again"
        case .outdated(let report):
            "on \(report.date), but by Greenroom \(report.host), and this is "
                + "\(GreenroomVersion.current); run greenroom validate again"
        case .known(let report):
            "on \(report.date) by Greenroom \(report.host): "
                + report.finding(in: "fails \(report.faults.map(\.check).joined(separator: ", "))")
                + report.circumstances(report.conditions)
                + (report.hasSentNothing
                    ? "; \(report.count(of: .skipped)) of \(report.results.count) checks were "
                        + "skipped" : "")
        }
    }

    /// The result as JSON; nil if unknown.
    var json: JSON? {
        switch self {
        case .unknown: nil
        case .stale(let report), .outdated(let report): json(of: report, isStale: true)
        case .known(let report): json(of: report, isStale: false)
        }
    }

    private func json(of report: ConformanceReport, isStale: Bool) -> JSON {
        [
            "date": .string(report.date), "host": .string(report.host),
            "sha256": .string(report.sha256), "stale": .boolean(isStale),
            "conforms": .boolean(report.conforms),
            "conclusion": .string(report.conclusion.rawValue),
            "faults": .array(report.faults.map { .string($0.check) }),
            "warnings": .array(report.warnings.map { .string($0.check) }),
            "sent-nothing": .boolean(report.hasSentNothing),
            "conditions": .array(report.conditions.map { .string($0) }),
            "costs": .array(
                report.costs.map { cost in
                    [
                        "row": .string(cost.row),
                        "milliseconds-per-frame": .number(cost.millisecondsPerFrame),
                    ]
                }),
        ]
    }
}

extension ConformanceReport {
    fileprivate var faults: [CheckResult] { results.filter(\.outcome.isFault) }
    fileprivate var warnings: [CheckResult] { results.filter { $0.outcome == .warning } }

    /// The conclusion, or a text about its faults.
    fileprivate func finding(in faults: String) -> String {
        switch conclusion {
        case .doesNotConform: faults
        case .notProven: "not proven"
        case .conforms: hasSentNothing ? "conforms, but sent nothing" : "conforms"
        }
    }

    /// The validation's settings and grants, in short words without duplicates.
    fileprivate var shortConditions: [String] {
        let grants = grants.map { String($0.prefix { $0 != " " }) }
        let isKnown = { (grant: String) in grants.contains(grant) }
        return (isStill ? ["still"] : [])
            + ["read", "write", "device", "network", "connect", "display", "pipewire"].filter(
                isKnown)
            + settings.keys.sorted().map { "set \($0)" }
    }

    /// The validation's settings and grants.
    fileprivate var conditions: [String] {
        (isStill ? ["still"] : []) + grants
            + settings.sorted { $0.key < $1.key }.map { "set \($0.key)=\($0.value)" }
    }

    /// The conditions of a result, and the number of warnings.
    fileprivate func circumstances(_ conditions: [String]) -> String {
        let told = conditions.isEmpty ? "" : " (\(conditions.joined(separator: ", ")))"
        return switch warnings.count {
        case 0: told
        case 1: told + ", with 1 warning"
        case let count: told + ", with \(count) warnings"
        }
    }
}
