import GreenroomModel

/// What a slate says: what is missing, and why.
struct SlateText: Equatable, Sendable {
    /// What is missing, e.g. `CAMERA`.
    var subject: String
    /// What became of it, e.g. `RESTARTING`.
    var state: String

    /// The source of a picture was lost, and is being started again.
    static func restarting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "restarting")
    }

    /// The source of a picture has not come yet.
    static func waiting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting")
    }

    /// The source of a picture was lost for good.
    static func lost(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "lost")
    }
}
