extension Catalogue {
    static let parameterChecks: [Check] = []
}
