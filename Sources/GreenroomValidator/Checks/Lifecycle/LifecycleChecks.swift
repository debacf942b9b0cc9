extension Catalogue {
    /// The checks of the lifecycle. Checks on which other checks depend are first.
    static let lifecycleChecks: [Check] = [
        wholeLife, callbacksInTime, startReturns, stopInTime, joins, destroyAtOnce, initializeOnly,
        silentBeforeStart, silentAfterStop, deadSender, restart, shortStart, twoInstances,
        withheldExtension, refusedSteps, threadContracts, giveUp,
    ]
}
