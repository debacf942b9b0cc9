extension Catalogue {
    static let soundChecks: [Check] = [
        soundFormat, soundBlocks, soundKeepsUp, soundBackPressure, soundSampleCount, soundStamps,
        audioLevel,
    ]
}
