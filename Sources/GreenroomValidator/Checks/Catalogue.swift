/// Every check, in the order of running and reporting.
enum Catalogue {
    static let checks: [Check] = [
        loadChecks, lifecycleChecks, negotiationChecks, videoChecks, preProcessorChecks,
        audioChecks, shareChecks, outputChecks, callChecks, parameterChecks, robustnessChecks,
    ].flatMap(\.self)

    static func check(_ id: String) -> Check? { checks.first { $0.id == id } }
}
