extension Catalogue {
    static let soundChecks: [Check] = []
}
