extension Catalogue {
    static let loadChecks: [Check] = []
}
