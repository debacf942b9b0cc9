public import GreenroomMedia

/// A source's answer to an offer.
public enum Answer: Equatable, Sendable {
    /// The source accepts the suggestion.
    case accept
    /// The source chooses another row of the offer.
    case counter(VideoCapability)
    /// The source sends exactly this capability. The host adapts it.
    case fixed(VideoCapability)
}

/// The result of an offer.
package enum Reply: Equatable, Sendable {
    /// The source answered, within the offer.
    case answered(Answer)
    /// The source takes no new offers. The source continues unchanged, and the host adapts.
    case ignored
    /// The source refused, or answered outside the offer, with the given message. The source
    /// continues unchanged, and the host adapts.
    case refused(Status, String)

    /// The reply in a record.
    var recorded: NegotiationRecord.Answer {
        switch self {
        case .answered(let answer): answer.recorded
        case .ignored: .ignored
        case .refused: .refused
        }
    }
}

/// The agreement of host and source.
public struct Agreement: Equatable, Sendable {
    /// The capability that the source will send.
    public var source: VideoCapability
    /// The track's capability: the source's, reduced to the lowest ceiling.
    public var track: VideoCapability
    /// The answer that led to it.
    public var answer: Answer
}

extension Offer {
    /// Whether the offer contains a capability.
    package func contains(_ capability: VideoCapability) -> Bool {
        switch rule {
        case .rows:
            rows.contains { $0.size == capability.size && capability.rate <= $0.rate }
        case .upTo:
            capability.size.isLegal && rows.contains { capability.fits(under: $0) }
        }
    }

    /// Settles an answer: returns the source's and the track's capability. The track never exceeds
    /// the offer's ceiling.
    ///
    /// - Throws: ``InvalidValueError`` for a counter outside the offer, or a fixed size that is not
    ///   legal.
    package func settle(_ answer: Answer) throws(InvalidValueError) -> Agreement {
        let source: VideoCapability
        switch answer {
        case .accept:
            source = suggested
        case .counter(let capability):
            guard contains(capability) else {
                let all = rows.map(\.description).joined(separator: ", ")
                throw InvalidValueError(
                    "counters with \(capability), which is not in the offer "
                        + "(\(rule == .upTo ? "up to " : "")\(all)). Counter with one of the offer, "
                        + "or answer \"fixed\" and the host adapts.")
            }
            source = capability
        case .fixed(let capability):
            guard capability.size.isLegal else {
                throw InvalidValueError(
                    "declares the fixed size \(capability.size); each side "
                        + "must be 1 to \(FrameSize.maximumDimension).")
            }
            source = capability
        }
        return Agreement(source: source, track: source.reduced(toFit: ceiling), answer: answer)
    }
}

extension Answer {
    /// The answer in a record.
    package var recorded: NegotiationRecord.Answer {
        switch self {
        case .accept: .accept
        case .counter: .counter
        case .fixed: .fixed
        }
    }
}
