import GreenroomMedia

/// The text of a slate: the missing source and its state.
package struct SlateText: Equatable, Sendable {
    /// The missing source, e.g. `CAMERA`.
    package var subject: String
    /// The state of the source, e.g. `RESTARTING`.
    package var state: String

    /// The time for which the last frame stays before a slate replaces it, in nanoseconds.
    package static let delay = Limits.slateDelayNanoseconds

    package init(subject: String, state: String) {
        self.subject = subject
        self.state = state
    }

    /// Returns the text for a source that was lost and is restarting.
    package static func restarting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "restarting")
    }

    /// Returns the text for a source that has not connected yet.
    package static func waiting(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting")
    }

    /// Returns the text for a source that sends no frames.
    package static func silent(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "no signal")
    }

    /// Returns the text for a source whose frames a required filter does not edit.
    package static func unedited(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "waiting for filter")
    }

    /// Returns the text for a source that was lost permanently.
    package static func lost(_ kind: VideoTrackKind) -> Self {
        Self(subject: kind.rawValue, state: "lost")
    }
}
