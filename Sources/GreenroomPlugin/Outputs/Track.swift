public import GreenroomMedia

/// A track of the session, which an ``Output`` can take.
///
/// The SDK hides tracks of kinds that it does not know.
public struct Track: Equatable, Sendable {
    /// The kind of media in a track.
    public enum Kind: UInt32, CaseIterable, Sendable {
        /// Video: the camera, after its filters.
        case camera = 1
        /// Audio: the microphone.
        case microphone = 2
        /// Video: the shared screen.
        case share = 3
        /// Audio: the audio of the share.
        case shareAudio = 4
        /// Audio: the sum of the session's own audio tracks.
        case mix = 5
        /// Audio: the sum of all participants' audio tracks.
        case incoming = 6
        /// Audio: the sum of all audio without one participant's, for that participant to hear.
        case mixMinus = 7
        /// Audio: the sum of all audio tracks, the session's and the participants', in a call.
        case fullMix = 8
        /// Video: the composer's picture of the other tracks.
        case stage = 9
        /// Audio: ``mix`` on the left and ``incoming`` on the right, each in mono; only for an output whose
        /// session file names the track.
        case split = 10

        /// Whether the track has frames, not blocks of audio.
        public var isVideo: Bool {
            switch self {
            case .camera, .share, .stage: true
            case .microphone, .shareAudio, .mix, .incoming, .mixMinus, .fullMix, .split: false
            }
        }
    }

    /// A person in the session's call.
    public struct Participant: Hashable, Sendable {
        /// Their number, never zero; unique in the session.
        public let number: UInt32
        /// Their name, for people.
        public let name: String
    }

    /// The id, unique in the session.
    public let id: UInt32
    /// The kind of media.
    public let kind: Kind
    /// The participant whose track it is; nil for the session's own tracks.
    public let participant: Participant?
    /// The name in messages and file names: `"camera"`, `"camera.desk"`, `"share-audio"`, `"ana-camera"`.
    public let name: String
    /// The largest size and rate of a video track, limited by its source once the source has agreed. While
    /// all outputs want less, the source sends less. Nil for audio.
    public let capability: VideoCapability?
}
