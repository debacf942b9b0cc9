package import GreenroomMedia

/// What a session can take, as it is offered to a source.
package struct Offer: Equatable, Sendable {
    /// Why it is made. Raw values are those of `GR_OFFER_REASON_…`.
    package enum Reason: UInt32, CaseIterable, Sendable {
        /// It is the first one.
        case initial = 1
        /// The last suggestion, or a row that was chosen, is not possible any more.
        case ceilingLowered = 2
        /// It is, and there is a better one.
        case ceilingRaised = 3

        /// The name that reports use, e.g. `"ceiling-lowered"`.
        package var name: String {
            switch self {
            case .initial: "initial"
            case .ceilingLowered: "ceiling-lowered"
            case .ceilingRaised: "ceiling-raised"
            }
        }
    }

    /// Counts the offers made to an instance, from 1.
    package let revision: UInt32
    /// How to read the rows.
    package let rule: OfferRule
    /// Why it is made.
    package let reason: Reason
    /// At least one row in a session, largest first, no size twice; a row's rate is its maximum.
    package let rows: [VideoCapability]
    /// The best for now: under the ceiling, and within the rows.
    package let suggested: VideoCapability
    /// The lowest of the ceilings: what the track stays under, whatever the source answers.
    package let ceiling: VideoCapability

    /// Makes an offer as it is, of rows that are in order.
    ///
    /// - Parameter ceiling: What the track stays under; the suggestion unless said.
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
