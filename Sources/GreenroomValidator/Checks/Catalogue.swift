/// Every check, in the order of running and reporting.
enum Catalogue {
    static let checks: [Check] = [
        loadChecks, lifecycleChecks, negotiationChecks, videoChecks, preProcessorChecks,
        audioFilterChecks, audioChecks, shareChecks, outputChecks, callChecks, parameterChecks,
        robustnessChecks,
    ].flatMap(\.self)

    /// The checks that report a step that does not return. These checks run first, so that later
    /// checks do not wait for the step.
    static let checksOfHangs = [startReturns.id, stopInTime.id, callbacksInTime.id]

    static func check(_ id: String) -> Check? { checks.first { $0.id == id } }
}
