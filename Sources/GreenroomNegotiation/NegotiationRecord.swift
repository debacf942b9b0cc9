/// One offer to a video source, its reason and its result.
public struct NegotiationRecord: Codable, Equatable, Sendable {
    /// An upper limit of size and rate.
    public struct Ceiling: Codable, Equatable, Sendable {
        /// The origin: `session.maximum`, `timeline[2]`, `control line 3`.
        public var origin: String
        /// The limit, e.g. `640x360@15`.
        public var limit: String
        /// Since when, in seconds of session time.
        public var since: Double
        /// Whether the suggestion would differ without it.
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
    /// When it was made, in seconds of session time.
    public var seconds: Double
    /// `initial`, `ceiling-lowered` or `ceiling-raised`.
    public var reason: String
    /// The suggested row.
    public var suggested: String
    /// `accept`, `counter`, `fixed`, `refused`, or `ignored` by a plugin without new offers.
    public var answer: String?
    /// What the source sends since then.
    public var source: String?
    /// What the track carries since then.
    public var track: String?
    /// All ceilings, binding ones first.
    public var ceilings: [Ceiling]
    /// Frames from the offer to the first one made for it; nil if there is none.
    public var framesUntilFollowed: Int?

    /// Makes a record.
    public init(
        revision: UInt32, seconds: Double, reason: String, suggested: String,
        answer: String? = nil, source: String? = nil, track: String? = nil, ceilings: [Ceiling],
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
