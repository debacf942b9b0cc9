/// The two pictures of a session.
public enum VideoTrackKind: String, CaseIterable, Sendable, Codable {
    /// The camera.
    case camera
    /// The screen share.
    case share
}
