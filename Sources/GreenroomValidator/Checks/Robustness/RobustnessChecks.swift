extension Catalogue {
    static let robustnessChecks: [Check] = [stopped, identical, lasting, ungranted]
}
