/// One offer to a source of pictures, why it was made, and what came of it.
public struct NegotiationRecord: Codable, Equatable, Sendable {
    /// Something that keeps the picture down.
    public struct Ceiling: Codable, Equatable, Sendable {
        /// Whose it is, in a few words: `session.maximum`, `timeline[2]`, `control line 3`.
        public var origin: String
        /// The most that it allows, e.g. `640x360@15`.
        public var limit: String
        /// Since when, in seconds of the session.
        public var since: Double
        /// Whether the suggestion would be another one without it.
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
    /// When it was made, in seconds of the session.
    public var seconds: Double
    /// `initial`, `ceiling-lowered` or `ceiling-raised`.
    public var reason: String
    /// The row that was suggested.
    public var suggested: String
    /// `accept`, `counter`, `fixed`, or `ignored` by a plugin that takes no new offers, or
    /// `refused`.
    public var answer: String?
    /// What the source sends since.
    public var source: String?
    /// What the track carries since.
    public var track: String?
    /// Every ceiling, those that bind first.
    public var ceilings: [Ceiling]
    /// Frames from the offer to the first one that was made for it; nil if none came.
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
