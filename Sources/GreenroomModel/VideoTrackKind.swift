/// The two tracks of a session, each a picture with its sound.
public enum VideoTrackKind: String, CaseIterable, Sendable, Codable {
    /// The camera, with the microphone.
    case camera
    /// The screen share, with its sound.
    case share
}
