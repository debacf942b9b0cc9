/// A track of a session that has video.
public struct VideoTrackKind: Sendable {
    /// The kind of a track, without its name. Raw values are keys of session files.
    package enum Part: String, CaseIterable, Sendable {
        case camera, share, stage
    }

    /// The kind of the track.
    package let part: Part
    /// The track's name, e.g. `desk`; nil for an unnamed track.
    package let name: String?
    /// The place of the track's role among the named roles.
    package let place: UInt32

    private init(_ part: Part, name: String? = nil, place: UInt32 = 0) {
        self.part = part
        self.name = name
        self.place = place
    }

    /// The camera, with the microphone.
    public static let camera = VideoTrackKind(.camera)
    /// The screen share, with its audio.
    public static let share = VideoTrackKind(.share)
    /// The video of a composer.
    public static let stage = VideoTrackKind(.stage)

    /// Returns a named track of the same part.
    package func named(_ name: String, place: UInt32 = 0) -> VideoTrackKind {
        VideoTrackKind(part, name: name, place: place)
    }
}

extension VideoTrackKind: Hashable {
    /// Whether both tracks have the same part and name.
    public static func == (first: VideoTrackKind, second: VideoTrackKind) -> Bool {
        first.part == second.part && first.name == second.name
    }

    /// Hashes the part and the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(name)
    }
}

extension VideoTrackKind: RawRepresentable, Codable {
    /// The track's name in session files, reports and file names: `camera`, `camera.desk`.
    public var rawValue: String { name.map { "\(part.rawValue).\($0)" } ?? part.rawValue }

    /// Returns the track with a name; nil for other names.
    public init?(rawValue: String) {
        let parts = rawValue.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let part = parts.first.flatMap({ Part(rawValue: String($0)) }) else { return nil }
        let name = parts.count > 1 ? String(parts[1]) : nil
        guard name?.isRoleName ?? true else { return nil }
        self.init(part, name: name)
    }
}

extension VideoTrackKind: CaseIterable {
    /// The unnamed tracks.
    public static let allCases: [VideoTrackKind] = Part.allCases.map { VideoTrackKind($0) }
}
