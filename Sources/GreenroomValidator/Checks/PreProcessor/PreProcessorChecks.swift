extension Catalogue {
    static let preProcessorChecks: [Check] = []
}
