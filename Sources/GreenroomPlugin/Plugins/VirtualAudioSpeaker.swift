public import GreenroomMedia

/// The audio that a ``VirtualAudioSpeaker`` takes.
public enum SpeakerPosition: CaseIterable, Hashable, Sendable {
    /// The sum of the session's own audio tracks.
    case mixed
    /// The sum of the participants' audio, in a call.
    case incoming
    /// The sum of all audio, the session's own and the participants', in a call.
    case fullMix
    /// The session's own audio on the left and the participants' on the right, in a call. The session file
    /// has to name the track `split`.
    case split
    /// Each person's audio: the session's microphone, and each participant's.
    case oneWay
    /// The audio of each share: the session's, and each participant's.
    case shared
    /// For each participant, the sum of all audio without theirs.
    case mixMinus
}

/// An output of audio: a speaker.
///
/// No two calls overlap. The host resamples and mixes to the wanted ``format``; each position gets
/// every sample, in blocks of ``blockMilliseconds``.
public protocol VirtualAudioSpeaker: Plugin {
    /// The audio that it takes; the mix by default.
    var positions: Set<SpeakerPosition> { get }

    /// Whether it receives a track of its positions; all tracks by default.
    func hears(_ track: Track) -> Bool

    /// The sample rate, 8000 to 192000 Hz, and one or two channels; 48000 Hz stereo by default.
    var format: AudioFormat { get }

    /// The length of a block, 1 to 100; 10 by default.
    var blockMilliseconds: Int { get }

    /// The session begins: open the device or file. The default does nothing. If the session has none of its
    /// positions, start fails before this call. In a session with a call, participants may add
    /// ``SpeakerPosition/oneWay``, ``SpeakerPosition/shared`` and ``SpeakerPosition/mixMinus`` later.
    mutating func onStart() throws

    /// Takes a block of a mix, ``SpeakerPosition/mixed``, ``SpeakerPosition/incoming``,
    /// ``SpeakerPosition/fullMix``, ``SpeakerPosition/split`` or ``SpeakerPosition/mixMinus``. The default
    /// does nothing.
    ///
    /// - Throws: Any error; the host counts a failed block, and logs the text.
    mutating func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) throws

    /// Takes a block of one person's audio; `block.track` names the person. The default does nothing.
    ///
    /// - Throws: Any error; the host counts a failed block, and logs the text.
    mutating func onVirtualSpeakerOneWayAudioReceived(_ block: borrowing OutputBlock) throws

    /// Takes a block of a share's audio; `block.track` names the share. The default does nothing.
    ///
    /// - Throws: Any error; the host counts a failed block, and logs the text.
    mutating func onVirtualSpeakerSharedAudioReceived(_ block: borrowing OutputBlock) throws

    /// Every block was delivered: finish, flush and close. The default does nothing.
    mutating func onStop()

    /// The speaker has ended. The default does nothing.
    mutating func onUninitialized()
}

extension VirtualAudioSpeaker {
    /// The mix.
    public var positions: Set<SpeakerPosition> { [.mixed] }

    /// All of them.
    public func hears(_ track: Track) -> Bool { true }

    /// 48000 Hz stereo.
    public var format: AudioFormat { .session }

    /// 10 ms.
    public var blockMilliseconds: Int { 10 }

    /// Does nothing.
    public func onStart() throws {}

    /// Does nothing.
    public func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) throws {}

    /// Does nothing.
    public func onVirtualSpeakerOneWayAudioReceived(_ block: borrowing OutputBlock) throws {}

    /// Does nothing.
    public func onVirtualSpeakerSharedAudioReceived(_ block: borrowing OutputBlock) throws {}

    /// Does nothing.
    public func onStop() {}

    /// Does nothing.
    public func onUninitialized() {}

    /// Exports the type as an output.
    public static var export: PluginExport { SpeakerOutput<Self>.export }
}

/// Makes a ``VirtualAudioSpeaker`` an ``Output``.
struct SpeakerOutput<Speaker: VirtualAudioSpeaker>: Output {
    static var plugin: PluginDescription { Speaker.plugin }

    private var speaker: Speaker
    private var hasTrack = false
    /// Whether the session has a call; nil before a track was described.
    private var hasCall: Bool?

    init(settings: Speaker.Settings, host: PluginHost) throws {
        speaker = try Speaker(settings: settings, host: host)
    }

    mutating func onSettingsChange(_ settings: Speaker.Settings) {
        speaker.onSettingsChange(settings)
    }

    mutating func onSessionEvent(_ json: String) { speaker.onSessionEvent(json) }

    mutating func onTrack(_ track: Track) -> TrackWant? {
        hasCall = hasCall == true || track.kind == .incoming
        guard let position = SpeakerPosition(track.kind), speaker.positions.contains(position),
            speaker.hears(track)
        else { return nil }
        hasTrack = true
        let format = speaker.format
        let (samples, overflow) = format.sampleRate.multipliedReportingOverflow(
            by: speaker.blockMilliseconds)
        return .audio(
            AudioTrackWant(format: format, blockFrames: overflow ? .max : samples / 1000))
    }

    mutating func onStart() throws {
        // Without a track the session file names participants' tracks alone.
        let mayCome = hasCall ?? true
        guard
            hasTrack
                || mayCome && !speaker.positions.isDisjoint(with: [.oneWay, .shared, .mixMinus])
        else {
            throw PluginError(
                "the speaker requests none of the offered tracks; add the source of one to the "
                    + "session file, and name the track in 'tracks' if the output has that key; "
                    + "for participants' tracks name 'incoming' there as well",
                status: .unavailable)
        }
        try speaker.onStart()
    }

    mutating func onAudio(_ block: borrowing OutputBlock) throws {
        switch SpeakerPosition(block.track.kind) {
        case .mixed, .incoming, .fullMix, .split, .mixMinus:
            try speaker.onVirtualSpeakerMixedAudioReceived(block)
        case .oneWay: try speaker.onVirtualSpeakerOneWayAudioReceived(block)
        case .shared: try speaker.onVirtualSpeakerSharedAudioReceived(block)
        case nil: break
        }
    }

    mutating func onStop() { speaker.onStop() }
    mutating func onUninitialized() { speaker.onUninitialized() }
}

extension SpeakerPosition {
    /// The track that is heard at it.
    private var track: Track.Kind {
        switch self {
        case .mixed: .mix
        case .incoming: .incoming
        case .fullMix: .fullMix
        case .split: .split
        case .oneWay: .microphone
        case .shared: .shareAudio
        case .mixMinus: .mixMinus
        }
    }

    /// Nil for a track that no speaker hears, such as one of video.
    init?(_ kind: Track.Kind) {
        guard let position = Self.allCases.first(where: { $0.track == kind }) else { return nil }
        self = position
    }
}
