extension Catalogue {
    /// Checks that others depend on are first.
    static let lifecycleChecks: [Check] = [
        wholeLife, callbacksInTime, startReturns, stopInTime, joins, destroyAtOnce, initializeOnly,
        silentBeforeStart, silentAfterStop, deadSender, restart, shortStart, twoInstances,
        withheldExtension, refusedSteps, threadContracts, giveUp,
    ]
}
