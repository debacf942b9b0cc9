extension Catalogue {
    static let shareChecks: [Check] = []
}
