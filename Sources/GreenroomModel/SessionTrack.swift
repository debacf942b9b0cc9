package import GreenroomMedia

/// A track of a session of its own, or a mix, as outputs see it. Raw values are those of `GR_TRACK_…`.
package enum SessionTrack: UInt32, CaseIterable, Sendable {
    /// The camera, after its filters.
    case camera = 1
    /// The microphone.
    case microphone = 2
    /// The shared screen.
    case share = 3
    /// The audio of the share.
    case shareAudio = 4
    /// The sum of the session's own audio tracks.
    case mix = 5
    /// The sum of the participants' audio tracks.
    case incoming = 6
    /// The sum of all audio tracks, the session's and the participants'.
    case fullMix = 8

    /// The role whose media it has; nil for a mix.
    package var role: SessionRole? {
        switch self {
        case .camera: .camera
        case .microphone: .microphone
        case .share: .share
        case .shareAudio: .shareAudio
        case .mix, .incoming, .fullMix: nil
        }
    }

    /// The name in session files, reports and file names, e.g. `"share-audio"`.
    package var name: String {
        switch self {
        case .camera: "camera"
        case .microphone: "microphone"
        case .share: "share"
        case .shareAudio: "share-audio"
        case .mix: "mix"
        case .incoming: "incoming"
        case .fullMix: "full-mix"
        }
    }

    /// Whether only a session with a call has it.
    package var needsCall: Bool { self == .incoming || self == .fullMix }

    /// What it has.
    package var medium: PluginKind.Medium { role?.medium ?? .audio }

    /// Its number for plugins.
    package var id: UInt32 { rawValue }
}
