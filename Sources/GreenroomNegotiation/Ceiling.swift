package import GreenroomMedia

/// An upper limit of size and rate.
package struct Ceiling: Hashable, Sendable {
    /// The origin of a ceiling.
    package enum Kind: String, CaseIterable, Sendable {
        /// The session file's maximum.
        case sessionMaximum
        /// The measured ability of this machine.
        case ability
        /// The wants of the outputs.
        case wants
        /// The ceilings that running outputs report.
        case outputs
        /// The timeline or a control line.
        case outside

        /// Whether the ceiling also removes larger rows from an offer, besides lowering the
        /// suggestion.
        var limitsRows: Bool { self == .sessionMaximum || self == .ability }
    }

    /// The kind of origin.
    package var kind: Kind
    /// The origin as text: `session.maximum`, `timeline[2]`, `outputs' requested formats`.
    package var origin: String
    /// The limit.
    package var limit: VideoCapability
    /// The start of the ceiling, in nanoseconds of session time.
    package var since: Int64

    /// Makes a ceiling.
    package init(kind: Kind, origin: String, limit: VideoCapability, since: Int64) {
        self.kind = kind
        self.origin = origin
        self.limit = limit
        self.since = since
    }

    /// The session file's maximum, from the start.
    package static func sessionMaximum(_ maximum: VideoCapability) -> Ceiling {
        Ceiling(kind: .sessionMaximum, origin: "session.maximum", limit: maximum, since: 0)
    }
}

extension [Ceiling] {
    /// The minimum of all ceilings, for each side and the rate. Without ceilings, the largest legal
    /// capability.
    package var lowest: VideoCapability {
        reduce(.greatest) { $0.lowered(to: $1.limit) }
    }
}
