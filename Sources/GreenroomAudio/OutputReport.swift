/// The part of the session report for one audio sink.
package struct OutputReport: Sendable {
    /// The key of the list in the report.
    package var key: String
    /// The sink's entry in the list.
    package var entry: any Encodable & Sendable
    /// Lines for the summary at the end.
    package var summary: [String]

    package init(key: String, entry: any Encodable & Sendable, summary: [String] = []) {
        self.key = key
        self.entry = entry
        self.summary = summary
    }
}

/// Statistics of the mix.
package struct MixStatistics: Sendable {
    /// Samples that were clamped to 16 bits.
    package var clampedSamples: Int

    package init(clampedSamples: Int = 0) {
        self.clampedSamples = clampedSamples
    }
}
