extension Catalogue {
    static let parameterChecks: [Check] = [
        parameterDefaults, parameterBounds, parameterFuzz, parameterStrings, parameterUnknown,
    ]
}
