package import GreenroomModel

/// What a slate says: what is missing, and why.
package struct SlateText: Equatable, Sendable {
    /// What is missing, e.g. `CAMERA`.
    package var subject: String
    /// What became of it, e.g. `RESTARTING`.
    package var state: String

    /// How long the last picture stays before a slate takes its place, in nanoseconds.
    package static let delay: Int64 = 1_000_000_000

    /// The source of a picture was lost, and is being started again.
    package static func restarting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "restarting")
    }

    /// The source of a picture has not come yet.
    package static func waiting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting")
    }

    /// Frames come, and a filter that is required does not edit them.
    static func unedited(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting for filter")
    }

    /// The source of a picture was lost for good.
    package static func lost(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "lost")
    }
}
