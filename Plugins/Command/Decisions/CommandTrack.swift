package import GreenroomPlugin

/// The media that a command reads, as the setting `track` names them.
package enum CommandTrack: Equatable, Sendable {
    /// A track of the session itself.
    case own(Track.Kind)
    /// A track of a participant: `participant Ana microphone`.
    case participant(String, Track.Kind)
    /// Tracks of all participants in one stream: `participants`, `participants microphone camera`.
    case participants(Set<Track.Kind>)

    private static let ownWords: [(String, Track.Kind)] = [
        ("camera", .camera), ("share", .share), ("stage", .stage), ("mix", .mix),
        ("incoming", .incoming), ("full-mix", .fullMix), ("microphone", .microphone),
        ("share-audio", .shareAudio), ("split", .split),
    ]
    private static let participantWords: [(String, Track.Kind)] = [
        ("microphone", .microphone), ("camera", .camera), ("share", .share),
        ("share-audio", .shareAudio),
    ]

    /// The accepted texts, for messages.
    package static let alternatives =
        ownWords.map(\.0).joined(separator: ", ")
        + ", participant NAME KIND, or participants KIND …; a KIND is "
        + participantWords.map(\.0).joined(separator: ", ")

    /// Reads the setting; nil if it names no track.
    package init?(_ text: String) {
        if let own = Self.ownWords.first(where: { $0.0 == text }) {
            self = .own(own.1)
            return
        }
        var words = text.split(separator: " ")
        func kind(of word: Substring) -> Track.Kind? {
            Self.participantWords.first { $0.0 == word }?.1
        }
        switch words.first ?? "" {
        case "participant":
            guard words.count > 2, let kind = kind(of: words.removeLast()) else { return nil }
            self = .participant(words.dropFirst().joined(separator: " "), kind)
        case "participants":
            let kinds = words.dropFirst().map { kind(of: $0) }
            guard !kinds.contains(nil) else { return nil }
            self = .participants(kinds.isEmpty ? [.microphone] : Set(kinds.compactMap(\.self)))
        default: return nil
        }
    }

    /// Whether the command reads a track.
    package func has(_ track: Track) -> Bool {
        switch self {
        case .own(let kind): track.participant == nil && track.kind == kind
        case .participant(let name, let kind):
            track.participant?.name == name && track.kind == kind
        case .participants(let kinds): track.participant != nil && kinds.contains(track.kind)
        }
    }
}

extension Track.Kind {
    /// The word for a participant's track.
    package var word: String {
        switch self {
        case .camera: "camera"
        case .microphone: "microphone"
        case .share: "share"
        case .shareAudio: "share-audio"
        case .mix: "mix"
        case .incoming: "incoming"
        case .mixMinus: "mix-minus"
        case .fullMix: "full-mix"
        case .split: "split"
        case .stage: "stage"
        }
    }
}
