extension Catalogue {
    /// Checks that others depend on are first.
    static let negotiationChecks: [Check] = [
        answerInOffer, revisionGeometry, change, oneRow, emptyTable, unfamiliarSizes, manyChanges,
    ]
}
