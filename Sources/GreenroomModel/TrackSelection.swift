/// The tracks that an output plugin is told of.
package struct TrackSelection: Equatable, Sendable {
    /// Tracks of participants: `participant *`, `participant Ana`, `participant * camera`.
    package struct Participants: Equatable, Sendable {
        /// The name that a participant has; nil for everybody.
        package var name: String?
        /// What the tracks are; nil for all of them, and the mix without the participant.
        package var kind: SessionRole?

        /// Describes a rule.
        package init(name: String? = nil, kind: SessionRole? = nil) {
            self.name = name
            self.kind = kind
        }
    }

    /// The session's own, and the mixes.
    package var own: Set<SessionTrack>
    /// Those of participants.
    package var participants: [Participants]

    /// Describes a selection.
    package init(own: Set<SessionTrack> = [], participants: [Participants] = []) {
        self.own = own
        self.participants = participants
    }

    /// Whether a track of a participant is in it.
    ///
    /// - Parameters:
    ///   - participant: The participant's name.
    ///   - kind: What it is; nil for the mix without the participant.
    package func has(participant: String, _ kind: SessionRole?) -> Bool {
        participants.contains { rule in
            (rule.name ?? participant) == participant && (rule.kind == nil || rule.kind == kind)
        }
    }
}

extension TrackSelection.Participants {
    /// The word that a rule begins with.
    package static let word = "participant"

    /// Reads a rule; nil if it is none.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 2, words[0] == Self.word else { return nil }
        let kind = SessionTrack.allCases.first {
            $0.role != nil && $0.name == words[words.count - 1]
        }
        let names = words.count > 2 && kind != nil ? words[1..<(words.count - 1)] : words[1...]
        let name = names.joined(separator: " ")
        self.init(name: name == "*" ? nil : name, kind: words.count > 2 ? kind?.role : nil)
    }
}
