extension Catalogue {
    /// What the others build on comes first.
    static let lifecycleChecks: [Check] = [
        wholeLife, callbacksInTime, startReturns, stopInTime, destroyAtOnce, initializeOnly,
        silentBeforeStart, silentAfterStop, deadSender, restart, shortStart, twoInstances,
        withheldExtension, refusedSteps, threadContracts, giveUp,
    ]
}
