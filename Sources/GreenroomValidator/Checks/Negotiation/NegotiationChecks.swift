extension Catalogue {
    /// What the others build on comes first.
    static let negotiationChecks: [Check] = [
        answerInOffer, revisionGeometry, change, oneRow, emptyTable, unfamiliarSizes, manyChanges,
    ]
}
