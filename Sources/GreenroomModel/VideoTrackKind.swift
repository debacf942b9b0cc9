/// A track of a session that has video.
public struct VideoTrackKind: Sendable {
    /// The kind of a track, without its name. Raw values are keys of session files.
    package enum Part: String, CaseIterable, Sendable {
        case camera, share, stage
    }

    /// The kind of the track.
    package let part: Part
    /// Its name, e.g. `desk`; nil without a name.
    package let name: String?
    /// The place of its role among those with names.
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

    /// A track of the same part with a name.
    package func named(_ name: String, place: UInt32 = 0) -> VideoTrackKind {
        VideoTrackKind(part, name: name, place: place)
    }
}

extension VideoTrackKind: Hashable {
    /// Whether both are the same part with the same name.
    public static func == (first: VideoTrackKind, second: VideoTrackKind) -> Bool {
        first.part == second.part && first.name == second.name
    }

    /// Hashes part and name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(part)
        hasher.combine(name)
    }
}

extension VideoTrackKind: RawRepresentable, Codable {
    /// In session files, reports and names of files: `camera`, `camera.desk`.
    public var rawValue: String { name.map { "\(part.rawValue).\($0)" } ?? part.rawValue }

    /// The track that is written so.
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
    /// The tracks without a name.
    public static let allCases: [VideoTrackKind] = Part.allCases.map { VideoTrackKind($0) }
}
