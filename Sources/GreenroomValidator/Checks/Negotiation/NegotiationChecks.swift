extension Catalogue {
    /// The checks of negotiation. Checks on which other checks depend are first.
    static let negotiationChecks: [Check] = [
        answerInOffer, revisionGeometry, change, oneRow, emptyTable, unfamiliarSizes, manyChanges,
    ]
}
