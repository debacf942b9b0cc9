extension Catalogue {
    /// What the others build on comes first.
    static let lifecycleChecks: [Check] = [
        wholeLife, callbacksInTime, startReturns, stopInTime, joins, destroyAtOnce, initializeOnly,
        silentBeforeStart, silentAfterStop, deadSender, restart, shortStart, twoInstances,
        withheldExtension, refusedSteps, threadContracts, giveUp,
    ]
}
