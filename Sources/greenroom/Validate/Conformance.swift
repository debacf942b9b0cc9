import Glibc
import GreenroomConfig
import GreenroomIsolation
import GreenroomLoading
import GreenroomValidator

/// What `greenroom validate` found of a plugin when it looked last.
enum Conformance {
    case unknown
    /// The library has changed since.
    case stale(ConformanceReport)
    case known(ConformanceReport)

    init(of plugin: PluginDescriptor, in library: LibraryDescription) {
        self = .unknown
        guard let path = resolvedPath(library.path),
            let kept = ReportCache.ofThisUser?.report(of: plugin.id, at: path),
            let report = ConformanceReport(json: String(decoding: kept, as: UTF8.self))
        else { return }
        self = LibraryHash.hexadecimal(of: path) == report.sha256 ? .known(report) : .stale(report)
    }

    /// For a column of a table.
    var word: String {
        switch self {
        case .unknown: "-"
        case .stale: "stale"
        case .known(let report):
            report.conforms ? "conforms" : "\(report.faults.count) of \(report.results.count) fail"
        }
    }

    /// For a line of its own.
    var text: String {
        switch self {
        case .unknown: "not yet; greenroom validate does it"
        case .stale(let report):
            "on \(report.date), but the library has changed since; greenroom validate looks again"
        case .known(let report):
            "on \(report.date) by Greenroom \(report.host): "
                + (report.conforms
                    ? "conforms" : "fails \(report.faults.map(\.check).joined(separator: ", "))")
        }
    }

    /// For programs; nil if nothing is known.
    var json: JSON? {
        switch self {
        case .unknown: nil
        case .stale(let report): json(of: report, isStale: true)
        case .known(let report): json(of: report, isStale: false)
        }
    }

    private func json(of report: ConformanceReport, isStale: Bool) -> JSON {
        [
            "date": .string(report.date), "host": .string(report.host),
            "sha256": .string(report.sha256), "stale": .boolean(isStale),
            "conforms": .boolean(report.conforms),
            "faults": .array(report.faults.map { .string($0.check) }),
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
}
