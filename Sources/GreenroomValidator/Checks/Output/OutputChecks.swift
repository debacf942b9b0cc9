extension Catalogue {
    static let outputChecks: [Check] = [
        outputWants, outputUnknownTrack, outputTakes, outputCalls, outputInTime, outputReleases,
        outputReadOnly,
    ]
}
