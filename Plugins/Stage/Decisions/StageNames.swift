/// The names that the settings of a stage may have: the session's tracks, and participants.
package struct StageNames: Equatable, Sendable {
    /// The session's cameras and shares: `camera`, `share.room`.
    package var tracks: [String]
    /// Whether the session has a call, whose participants have any names.
    package var hasParticipants: Bool

    package init(tracks: [String], hasParticipants: Bool) {
        self.tracks = tracks
        self.hasParticipants = hasParticipants
    }

    /// The reason why a name can never be shown, and the fix; nil for a name that can.
    package func problem(of name: String) -> String? {
        if name.isEmpty || tracks.contains(name) { return nil }
        let isTrack = ["camera", "share", "stage"].contains {
            name == $0 || name.hasPrefix("\($0).")
        }
        if hasParticipants, !isTrack { return nil }
        let choices = tracks + (hasParticipants ? ["a participant's name"] : [])
        return "the stage has no \"\(name)\" to show. Write \(choices.joined(separator: " or "))."
    }

    /// The first name that can never be shown in each setting of a stage.
    ///
    /// - Parameters:
    ///   - setting: `main`, `inset` or `custom`; others name nothing.
    ///   - value: Its text.
    /// - Returns: Each problem with its line, from 0; nil for a setting of one line.
    package func problems(in setting: String, _ value: String) -> [(line: Int?, text: String)] {
        switch setting {
        case "main", "inset":
            return problem(of: value).map { [(nil, $0)] } ?? []
        case "custom":
            return value.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .enumerated().compactMap { index, line in
                    // The plugin rejects invalid tiles.
                    guard let place = try? CustomPlace.places(in: String(line)).first,
                        case .reference(let name) = place.subject,
                        let problem = problem(of: name)
                    else { return nil }
                    return (index, problem)
                }
        default: return []
        }
    }
}
