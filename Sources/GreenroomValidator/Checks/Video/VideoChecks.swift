extension Catalogue {
    static let videoChecks: [Check] = []
}
