internal import FoundationEssentials

extension Encodable {
    /// Encodes the value as a report, an event or a line of a journal: keys are sorted, and infinite
    /// numbers are text.
    ///
    /// - Parameter isPretty: Whether each member has its own line.
    package func jsonText(isPretty: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
