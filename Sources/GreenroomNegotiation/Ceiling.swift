package import GreenroomMedia

/// Something that keeps a picture down.
package struct Ceiling: Hashable, Sendable {
    /// Where a ceiling comes from.
    package enum Kind: String, CaseIterable, Sendable {
        /// The session file's maximum.
        case sessionMaximum
        /// What this machine was measured to sustain.
        case ability
        /// What the outputs want.
        case wants
        /// Whoever runs the session: its timeline, or a control line.
        case outside

        /// Whether larger rows are left out of an offer, and not only out of its suggestion.
        var limitsRows: Bool { self == .sessionMaximum || self == .ability }
    }

    /// Where it comes from.
    package var kind: Kind
    /// Whose it is, in a few words: `session.maximum`, `timeline[2]`, `outputs' wants`.
    package var origin: String
    /// The most that it allows.
    package var limit: VideoCapability
    /// Since when, in nanoseconds of the session.
    package var since: Int64

    /// Makes a ceiling.
    package init(kind: Kind, origin: String, limit: VideoCapability, since: Int64) {
        self.kind = kind
        self.origin = origin
        self.limit = limit
        self.since = since
    }

    /// The session file's maximum, which applies from the beginning.
    package static func sessionMaximum(_ maximum: VideoCapability) -> Ceiling {
        Ceiling(kind: .sessionMaximum, origin: "session.maximum", limit: maximum, since: 0)
    }
}

extension [Ceiling] {
    /// The lowest of all, each side and the rate for itself; the largest legal capability where
    /// there is none.
    package var lowest: VideoCapability {
        reduce(.greatest) { $0.lowered(to: $1.limit) }
    }
}
