package import GreenroomMedia

/// The capabilities that a session offers a source.
package struct Offer: Equatable, Sendable {
    /// The reason of an offer. Raw values are those of `GR_OFFER_REASON_…`.
    package enum Reason: UInt32, CaseIterable, Sendable {
        /// The offer is the first one.
        case initial = 1
        /// The last suggestion, or the chosen row, is no longer possible.
        case ceilingLowered = 2
        /// A better suggestion is possible.
        case ceilingRaised = 3

        /// The reason in a record.
        var recorded: NegotiationRecord.Reason {
            switch self {
            case .initial: .initial
            case .ceilingLowered: .ceilingLowered
            case .ceilingRaised: .ceilingRaised
            }
        }
    }

    /// Number of the offer to an instance, from 1.
    package let revision: UInt32
    /// The rule for reading the rows.
    package let rule: OfferRule
    /// The reason for the offer.
    package let reason: Reason
    /// The rows, largest first, with unique sizes; at least one in a session. A row's rate is its
    /// maximum.
    package let rows: [VideoCapability]
    /// The best row under the ceiling.
    package let suggested: VideoCapability
    /// The lowest ceiling, a limit of the track for every answer.
    package let ceiling: VideoCapability

    /// Makes an offer of sorted rows.
    ///
    /// - Parameter ceiling: The track's limit; by default the suggestion.
    package init(
        revision: UInt32, rule: OfferRule, reason: Reason = .initial, rows: [VideoCapability],
        suggested: VideoCapability, ceiling: VideoCapability? = nil
    ) {
        self.revision = revision
        self.rule = rule
        self.reason = reason
        self.rows = rows
        self.suggested = suggested
        self.ceiling = ceiling ?? suggested
    }
}
