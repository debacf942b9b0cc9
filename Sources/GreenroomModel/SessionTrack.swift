package import GreenroomMedia

/// A track of the session itself, or a mix, as outputs see it.
package enum SessionTrack: Hashable, CaseIterable, Sendable {
    /// The media of the plugin with a role, after its filters.
    case own(SessionRole)
    /// The sum of the session's own audio tracks.
    case mix
    /// The sum of the participants' audio tracks.
    case incoming
    /// The sum of all audio tracks, the session's and the participants'.
    case fullMix
    /// ``mix`` on the left and ``incoming`` on the right, each in mono.
    case split

    /// The tracks of unnamed roles, and the mixes.
    package static var allCases: [SessionTrack] { all(of: SessionRole.allCases) }

    /// The track with a number; nil if there is none.
    package init?(id: UInt32) {
        guard let track = Self.allCases.first(where: { $0.id == id }) else { return nil }
        self = track
    }

    /// Returns the tracks of roles, and all mixes, whether or not the session has them.
    package static func all(of roles: some Sequence<SessionRole>) -> [SessionTrack] {
        roles.map { .own($0) } + [.mix, .incoming, .fullMix, .split]
    }

    /// Returns the track with a name, including the tracks of named roles; nil if there is none.
    package init?(name: String) {
        if let known = Self.allCases.first(where: { $0.name == name }) {
            self = known
            return
        }
        let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, String(parts[1]).isRoleName,
            let role = SessionRole.allCases.first(where: { $0.trackName == parts[0] })
        else { return nil }
        self = .own(SessionRole(role.part, name: String(parts[1])))
    }

    /// The track's kind for plugins: one of `GR_TRACK_…`.
    package var kind: UInt32 { role.map { SessionRole($0.part).facts.trackID } ?? id }

    /// The track's number for plugins; one of `GR_TRACK_…` for an unnamed role.
    package var id: UInt32 {
        switch self {
        case .own(let role): role.facts.trackID
        case .mix: 5
        case .incoming: 6
        case .fullMix: 8
        case .split: 10
        }
    }

    /// The role of the track's media; nil for a mix.
    package var role: SessionRole? {
        if case .own(let role) = self { role } else { nil }
    }

    /// The track's name in session files, reports and file names, e.g. `"share-audio"`.
    package var name: String {
        switch self {
        case .own(let role): role.trackName
        case .mix: "mix"
        case .incoming: "incoming"
        case .fullMix: "full-mix"
        case .split: "split"
        }
    }

    /// Whether the track exists only in a session with a call.
    package var needsCall: Bool { [.incoming, .fullMix, .split].contains(self) }

    /// The medium.
    package var medium: PluginKind.Medium { role?.medium ?? .audio }
}
