extension Catalogue {
    static let negotiationChecks: [Check] = []
}
