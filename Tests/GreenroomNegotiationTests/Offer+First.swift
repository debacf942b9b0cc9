import GreenroomMedia

@testable import GreenroomNegotiation

extension Offer {
    /// The first offer to a camera that nothing but the session's maximum limits.
    static func toVideoSource(
        revision: UInt32, table: CapabilityTable, maximum: VideoCapability
    ) -> Offer {
        NegotiationInputs(
            rule: .rows, table: table, ceilings: [.sessionMaximum(maximum)]
        ).offer(revision: revision, after: nil)
    }

    /// The first offer to a share that nothing but the session's maximum limits.
    static func toShareSource(revision: UInt32, maximum: VideoCapability) -> Offer {
        NegotiationInputs(
            rule: .upTo, table: .standard, ceilings: [.sessionMaximum(maximum)]
        ).offer(revision: revision, after: nil)
    }
}
