/// The two tracks of a session, each video with audio.
public enum VideoTrackKind: String, CaseIterable, Sendable, Codable {
    /// The camera, with the microphone.
    case camera
    /// The screen share, with its audio.
    case share
}
