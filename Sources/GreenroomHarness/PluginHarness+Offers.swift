package import GreenroomNegotiation
import GreenroomPluginInterface
package import GreenroomMedia

extension PluginHarness {
    /// The offer that a session would make; nil if the plugin handles audio, which has no offers.
    ///
    /// The offer's revision is one higher than the last offer's, even if the plugin did not receive
    /// that offer.
    ///
    /// - Parameters:
    ///   - maximum: The session's maximum.
    ///   - ceiling: The current ceiling; nil if none below the maximum.
    ///   - table: The sizes to offer a camera; nil if the standard sizes. A pre-processor is
    ///     offered only the lower of maximum and ceiling.
    package func nextOffer(
        maximum: VideoCapability = VideoCapability(width: 1920, height: 1080, fps: 30),
        ceiling: VideoCapability? = nil, table: [VideoCapability]? = nil
    ) -> Offer? {
        guard let rule = descriptor.kind.offerRule else {
            guard descriptor.kind.isFilter else { return nil }
            let row = ceiling ?? maximum
            return Offer(
                revision: takeRevision(), rule: .rows, rows: [row], suggested: row)
        }
        var ceilings: [Ceiling] = [.sessionMaximum(maximum)]
        if let ceiling {
            ceilings.append(
                Ceiling(kind: .outside, origin: "the check", limit: ceiling, since: 0))
        }
        let inputs = NegotiationInputs(
            rule: rule,
            table: table.map { CapabilityTable($0) } ?? .standard,
            capabilities: capabilities, ceilings: ceilings)
        let offer = inputs.offer(revision: takeRevision(), after: lastOffer)
        lastOffer = offer
        return offer
    }
}
