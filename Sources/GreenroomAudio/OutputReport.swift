/// What the report says of one sink of sound.
package struct OutputReport: Sendable {
    /// The list of the report that it belongs to.
    package var key: String
    /// Its entry in the list.
    package var entry: any Encodable & Sendable
    /// What a user wants to know of it at the end.
    package var summary: [String]

    package init(key: String, entry: any Encodable & Sendable, summary: [String] = []) {
        self.key = key
        self.entry = entry
        self.summary = summary
    }
}

/// What is known of the sum of all sounds.
package struct MixStatistics: Sendable {
    /// Samples that were louder than 16 bits go.
    package var clampedSamples: Int

    package init(clampedSamples: Int = 0) {
        self.clampedSamples = clampedSamples
    }
}
