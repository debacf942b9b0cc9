/// The tracks announced to an output plugin.
package struct TrackSelection: Equatable, Sendable {
    /// A rule for tracks of participants: `participant *`, `participant Ana`, `participant *
    /// camera`.
    package struct Participants: Equatable, Sendable {
        /// The kind of a participant's track.
        package enum Kind: Equatable, CaseIterable, Sendable {
            /// Also the media of the session's own plugin with a role.
            case track(SessionRole)
            /// The sum of all audio except the participant's.
            case mixMinus

            package static var allCases: [Kind] {
                SessionRole.ofParticipants.map { .track($0) } + [.mixMinus]
            }

            /// The word in session files, e.g. `"share-audio"`.
            package var word: String {
                switch self {
                case .track(let role): role.trackName
                case .mixMinus: "mix-minus"
                }
            }

            /// The kind with a word; nil if there is none.
            init?(word: some StringProtocol) {
                guard let kind = Self.allCases.first(where: { $0.word == word }) else { return nil }
                self = kind
            }
        }

        /// The name of the participants; nil for all participants.
        package var name: String?
        /// The kind of the tracks; nil for all kinds.
        package var kind: Kind?

        /// Describes a rule.
        package init(name: String? = nil, kind: Kind? = nil) {
            self.name = name
            self.kind = kind
        }
    }

    /// The session's own tracks and the mixes.
    package var own: Set<SessionTrack>
    /// The rules for participants' tracks.
    package var participants: [Participants]

    /// Describes a selection.
    package init(own: Set<SessionTrack> = [], participants: [Participants] = []) {
        self.own = own
        self.participants = participants
    }

    /// Whether the selection contains a track of a participant.
    ///
    /// - Parameter participant: The participant's name.
    package func has(participant: String, _ kind: Participants.Kind) -> Bool {
        participants.contains { rule in
            (rule.name ?? participant) == participant && (rule.kind ?? kind) == kind
        }
    }
}

extension TrackSelection.Participants {
    /// The first word of a rule.
    package static let word = "participant"

    /// Reads a rule; nil if the text is not a rule.
    ///
    /// `participant` is followed by `*` or a name, and optionally by the word of a track. A name
    /// may contain blanks. A name in quotes may contain any character but a double quote. Without
    /// quotes, a last word of `a` to `z` and hyphens is the word of a track.
    package init?(_ text: String) {
        let rule = text.trimmed
        guard rule.hasPrefix("\(Self.word) ") else { return nil }
        let rest = rule.dropFirst(Self.word.count).trimmed
        if rest.hasPrefix("\"") {
            let parts = rest.dropFirst().split(
                separator: "\"", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            let kind = parts[1].trimmed
            self.init(name: String(parts[0]), kind: Kind(word: kind))
            guard kind.isEmpty || self.kind != nil, kind.isEmpty || parts[1].hasPrefix(" ") else {
                return nil
            }
            return
        }
        var words = rest.split(separator: " ")
        var kind: Kind?
        if words.count > 1, let last = words.last, last.isLikeATrack {
            guard let named = Kind(word: last) else { return nil }
            kind = named
            words.removeLast()
        }
        let name = words.joined(separator: " ")
        // "* Ana" is no name.
        guard !name.isEmpty, words.count == 1 || words.first != "*" else { return nil }
        self.init(name: name == "*" ? nil : name, kind: kind)
    }
}

extension StringProtocol {
    /// Whether the text has the form of a track's word.
    fileprivate var isLikeATrack: Bool {
        utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 45 }
    }

    /// The text without blanks at both ends.
    fileprivate var trimmed: Substring {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
