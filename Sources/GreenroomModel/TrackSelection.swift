/// The tracks that an output plugin learns of.
package struct TrackSelection: Equatable, Sendable {
    /// Tracks of participants: `participant *`, `participant Ana`, `participant * camera`.
    package struct Participants: Equatable, Sendable {
        /// A track of a participant.
        package enum Kind: Equatable, CaseIterable, Sendable {
            /// Also the media of the session's own plugin with a role.
            case track(SessionRole)
            /// The sum of all audio but theirs.
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

        /// The name that a participant has; nil for all participants.
        package var name: String?
        /// The kind of the tracks; nil for all kinds.
        package var kind: Kind?

        /// Describes a rule.
        package init(name: String? = nil, kind: Kind? = nil) {
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
    /// - Parameter participant: The participant's name.
    package func has(participant: String, _ kind: Participants.Kind) -> Bool {
        participants.contains { rule in
            (rule.name ?? participant) == participant && (rule.kind ?? kind) == kind
        }
    }
}

extension TrackSelection.Participants {
    /// The word that a rule begins with.
    package static let word = "participant"

    /// Reads a rule; nil if it is none.
    ///
    /// After the word follows `*` or a name, and then perhaps the word of a track. A name may have
    /// blanks. In quotes it may have anything but a double quote; without them a last word of `a` to `z` and hyphens is
    /// that of a track.
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
    /// Whether it is written as the words of tracks are.
    fileprivate var isLikeATrack: Bool {
        utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 45 }
    }

    /// Without blanks at both ends.
    fileprivate var trimmed: Substring {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
