extension Catalogue {
    static let audioChecks: [Check] = [
        audioFormat, audioBlocks, audioKeepsUp, audioBackPressure, audioSampleCount, audioStamps,
        audioLevel,
    ]
}
