internal import FoundationEssentials

extension ConformanceReport {
    /// Reports as one JSON array, with a line feed at the end.
    public static func json(_ reports: [ConformanceReport]) -> String {
        text(reports) + "\n"
    }

    /// The report as a JSON object.
    public var json: String { Self.text(self) }

    /// Reads a report; nil if the text is not a report.
    public init?(json: String) {
        let report = try? JSONDecoder().decode(ConformanceReport.self, from: Data(json.utf8))
        guard let report else { return nil }
        self = report
    }

    private static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = (try? encoder.encode(value)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }
}
