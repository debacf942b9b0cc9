public import GreenroomMedia

/// What a session can take, as it is offered to a source.
public struct Offer: Equatable, Sendable {
    /// Why it is made. Raw values are those of `GR_OFFER_REASON_…`.
    public enum Reason: UInt32, CaseIterable, Sendable {
        /// It is the first one.
        case initial = 1
        /// The last suggestion, or a row that was chosen, is not possible any more.
        case ceilingLowered = 2
        /// It is, and there is a better one.
        case ceilingRaised = 3

        /// The name that reports use, e.g. `"ceiling-lowered"`.
        public var name: String {
            switch self {
            case .initial: "initial"
            case .ceilingLowered: "ceiling-lowered"
            case .ceilingRaised: "ceiling-raised"
            }
        }
    }

    /// Counts the offers made to an instance, from 1.
    public let revision: UInt32
    /// How to read the rows.
    package let rule: OfferRule
    /// Why it is made.
    public let reason: Reason
    /// At least one row in a session, largest first, no size twice; a row's rate is its maximum.
    public let rows: [VideoCapability]
    /// The best for now: under the ceiling, and within the rows.
    public let suggested: VideoCapability
    /// The lowest of the ceilings: what the track stays under, whatever the source answers.
    public let ceiling: VideoCapability

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
