extension Catalogue {
    static let shareChecks: [Check] = [idleShare, resizedShare, pausedShare]
}
