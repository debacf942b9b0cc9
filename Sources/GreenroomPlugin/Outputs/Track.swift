public import GreenroomMedia

/// A track of the session: what an ``Output`` can take.
///
/// A host may have tracks of further kinds. An output of this SDK never learns of them.
public struct Track: Equatable, Sendable {
    /// What a track is.
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
        /// Audio: the sum of all, the session's and the participants', without those of one
        /// participant: what that participant is to hear.
        case mixMinus = 7
        /// Audio: the sum of all audio tracks, the session's and the participants', in a call.
        case fullMix = 8
        /// Video: what a composer makes of the other tracks.
        case stage = 9

        /// Whether it has frames; else it has blocks of audio.
        public var isVideo: Bool {
            switch self {
            case .camera, .share, .stage: true
            case .microphone, .shareAudio, .mix, .incoming, .mixMinus, .fullMix: false
            }
        }
    }

    /// A person whom a call has added to the session.
    public struct Participant: Hashable, Sendable {
        /// Their number, never zero; of one participant throughout the session.
        public let number: UInt32
        /// Their name, for people.
        public let name: String
    }

    /// The same throughout the session.
    public let id: UInt32
    /// What it is.
    public let kind: Kind
    /// Whose it is; nil for the session's own.
    public let participant: Participant?
    /// For messages and file names: `"camera"`, `"camera.desk"`, `"share-audio"`, `"ana-camera"`.
    public let name: String
    /// The largest size and rate of a video track; as soon as its source has agreed, the largest that the
    /// source agrees to. While all outputs want less, the source sends less. Nil for audio.
    public let capability: VideoCapability?
}
