internal import FoundationEssentials
import GreenroomModel

extension ConformanceReport {
    /// Reports as one JSON array, with a line feed at the end.
    public static func json(_ reports: [ConformanceReport]) -> String {
        ((try? reports.jsonText(isPretty: true)) ?? "") + "\n"
    }

    /// The report as a JSON object.
    public var json: String { (try? jsonText(isPretty: true)) ?? "" }

    /// Reads a report; nil if the text is not a report.
    public init?(json: String) {
        let report = try? JSONDecoder().decode(ConformanceReport.self, from: Data(json.utf8))
        guard let report else { return nil }
        self = report
    }
}
