extension Catalogue {
    static let robustnessChecks: [Check] = []
}
