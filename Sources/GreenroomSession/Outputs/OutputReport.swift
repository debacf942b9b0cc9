/// What the report says of one sink of sound.
package struct OutputReport: Sendable {
    /// The list of the report that it belongs to.
    var key: String
    /// Its entry in the list.
    var entry: any Encodable & Sendable
    /// What a user wants to know of it at the end.
    package var summary: [String] = []
}

/// What is known of the sum of all sounds.
package struct MixStatistics: Sendable {
    /// Samples that were louder than 16 bits go.
    var clampedSamples = 0
}
