import GreenroomMedia

@testable import GreenroomNegotiation

extension Offer {
    /// The first offer to a camera, limited only by the session's maximum.
    static func toVideoSource(
        revision: UInt32, table: CapabilityTable, maximum: VideoCapability
    ) -> Offer {
        NegotiationInputs(
            rule: .rows, table: table, ceilings: [.sessionMaximum(maximum)]
        ).offer(revision: revision, after: nil)
    }

    /// The first offer to a share, limited only by the session's maximum.
    static func toShareSource(revision: UInt32, maximum: VideoCapability) -> Offer {
        NegotiationInputs(
            rule: .upTo, table: .standard, ceilings: [.sessionMaximum(maximum)]
        ).offer(revision: revision, after: nil)
    }
}
