package import GreenroomModel
package import GreenroomSchema

extension Decoder<TrackSelection> {
    /// A list of tracks: `camera`, `camera.desk`, `stage`, `full-mix`, `participant *`.
    package static let tracks: Decoder<TrackSelection> = Decoder<[TrackRule]>.list(
        of: Decoder<TrackRule>.rule, "a list of tracks", count: 1...64
    ).map { rules, _ -> TrackSelection in
        var selection = TrackSelection()
        for rule in rules {
            switch rule {
            case .own(let track): selection.own.insert(track)
            case .participants(let rule): selection.participants.append(rule)
            }
        }
        return selection
    }
}

extension Decoder<[String]> {
    /// The names of participants.
    package static let participantNames: Decoder = .list(
        of: Decoder<String>.text("a participant's name"), "a list of names", count: 0...64)
}

/// An entry of a list of tracks.
private enum TrackRule: Sendable {
    case own(SessionTrack)
    case participants(TrackSelection.Participants)
}

extension Decoder<TrackRule> {
    fileprivate static let rule: Decoder = {
        let names = SessionTrack.allCases.map(\.name)
        let word = TrackSelection.Participants.word
        return .scalar(
            Schema(
                kind: .text(
                    pattern: "(\(names.joined(separator: "|")))(\\.\(String.roleNamePattern))?|"
                        + "\(word) .+"),
                expectation: "one of \(names.joined(separator: ", ")), \"\(word) *\" or "
                    + "\"\(word) NAME\""),
            cure: { text in
                guard text.hasPrefix("\(word) ") else { return nil }
                let tracks = TrackSelection.Participants.Kind.allCases.map(\.word)
                let name = text.dropFirst(word.count + 1).filter { $0 != "\"" }
                return "End after the name, or add \(tracks.alternatives); quote a longer name: "
                    + "\(word) \"\(name)\""
            }
        ) { scalar in
            guard case .text(let text) = scalar else { return nil }
            if let track = SessionTrack(name: text) { return .own(track) }
            return TrackSelection.Participants(text).map(TrackRule.participants)
        }
    }()
}

extension [String] {
    /// The texts as alternatives: `camera, microphone or share`.
    fileprivate var alternatives: String {
        guard let last, count > 1 else { return first ?? "" }
        return "\(dropLast().joined(separator: ", ")) or \(last)"
    }
}
