extension Catalogue {
    static let outputChecks: [Check] = [
        outputWants, outputUnknownTrack, outputTakes, outputInTime, outputReleases, outputReadOnly,
    ]
}
