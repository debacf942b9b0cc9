package import GreenroomModel

/// What a slate says: what is missing, and why.
package struct SlateText: Equatable, Sendable {
    /// What is missing, e.g. `CAMERA`.
    package var subject: String
    /// What became of it, e.g. `RESTARTING`.
    package var state: String

    /// How long the last frame stays before a slate takes its place, in nanoseconds.
    package static let delay: Int64 = 1_000_000_000

    /// The source of a video track was lost, and is being restarted.
    package static func restarting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "restarting")
    }

    /// The source of a video track has not connected yet.
    package static func waiting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting")
    }

    /// The source of a video track sends nothing.
    package static func silent(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "no signal")
    }

    /// Frames come, and a filter that is required does not edit them.
    static func unedited(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting for filter")
    }

    /// The source of a video track was lost for good.
    package static func lost(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "lost")
    }
}
