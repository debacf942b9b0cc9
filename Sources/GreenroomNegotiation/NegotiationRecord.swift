/// One offer to a video source, its reason and its result.
public struct NegotiationRecord: Codable, Equatable, Sendable {
    /// The reason of an offer.
    public enum Reason: String, Codable, CustomStringConvertible, Sendable {
        /// The offer is the first one.
        case initial
        /// The last suggestion, or the chosen row, is no longer possible.
        case ceilingLowered = "ceiling-lowered"
        /// A better suggestion is possible.
        case ceilingRaised = "ceiling-raised"

        /// The reason's word in reports.
        public var description: String { rawValue }
    }

    /// A source's answer to an offer.
    public enum Answer: String, Codable, CustomStringConvertible, Sendable {
        /// The source accepted the suggestion.
        case accept
        /// The source chose another row of the offer.
        case counter
        /// The source sends exactly one size and rate. The host adapts it.
        case fixed
        /// No answer: the plugin does not support renegotiation and continues unchanged.
        case ignored
        /// The source refused, or answered outside the offer, and continues unchanged.
        case refused
        /// The host sent the demand to the call, which does not answer.
        case demanded

        /// The answer's word in reports.
        public var description: String { rawValue }
    }

    /// An upper limit of size and rate.
    public struct Ceiling: Codable, Equatable, Sendable {
        /// The origin: `session.maximum`, `timeline[2]`, `control line 3`.
        public var origin: String
        /// The limit, e.g. `640x360@15`.
        public var limit: String
        /// The start of the ceiling, in seconds of session time.
        public var since: Double
        /// Whether the suggestion would differ without the ceiling.
        public var binds: Bool

        /// Makes a ceiling.
        public init(origin: String, limit: String, since: Double, binds: Bool) {
            self.origin = origin
            self.limit = limit
            self.since = since
            self.binds = binds
        }
    }

    /// The offer's revision.
    public var revision: UInt32
    /// The time of the offer, in seconds of session time.
    public var seconds: Double
    /// The reason for the offer.
    public var reason: Reason
    /// The suggested row.
    public var suggested: String
    /// The source's answer; nil if there is none yet.
    public var answer: Answer?
    /// The source's capability from then on.
    public var source: String?
    /// The track's capability from then on.
    public var track: String?
    /// All ceilings, binding ones first.
    public var ceilings: [Ceiling]
    /// The number of frames from the offer to the first frame made for it; nil if there is none.
    public var framesUntilFollowed: Int?

    /// Makes a record.
    public init(
        revision: UInt32, seconds: Double, reason: Reason, suggested: String,
        answer: Answer? = nil, source: String? = nil, track: String? = nil, ceilings: [Ceiling],
        framesUntilFollowed: Int? = nil
    ) {
        self.revision = revision
        self.seconds = seconds
        self.reason = reason
        self.suggested = suggested
        self.answer = answer
        self.source = source
        self.track = track
        self.ceilings = ceilings
        self.framesUntilFollowed = framesUntilFollowed
    }
}
