import GreenroomPlugin

/// Writes the session's audio as a WAV or FLAC file.
final class SpeakerFile: VirtualAudioSpeaker {
    static let plugin = PluginDescription(
        id: "org.greenroom.speaker-file", name: "SpeakerFile", version: "1.0.0",
        summary: "Writes the session's audio as a WAV or FLAC file", vendor: "Greenroom")

    enum Position: String, CaseIterable {
        case mix, incoming, microphone, split
        case shareAudio = "share-audio"
        case fullMix = "full-mix"
        case mixMinus = "mix-minus"
    }

    struct Settings: PluginSettings {
        var path = ""
        var position = Position.mix
        var rate = 48_000
        var channels = 2

        static let table: [Setting<Self>] = [
            .path(
                "path", \.path, title: "File, .wav or .flac; replaced if it exists",
                required: true),
            .choice(
                "position", \.position,
                title: "Track to write; mix-minus: all audio except the first participant's"),
            .integer("rate", \.rate, in: 8_000...192_000, title: "Sample rate", unit: "Hz"),
            .integer("channels", \.channels, in: 1...2, title: "Channels"),
        ]
    }

    private let settings: Settings
    private let host: PluginHost
    private var file: AudioFileWriter?
    /// Whether the session has the track.
    private var hasTrack = false
    /// Whose mix-minus it writes; nil before anybody has joined.
    private var listener: Track.Participant?

    init(settings: Settings, host: PluginHost) throws {
        try AudioFileWriter.check(path: settings.path)
        self.settings = settings
        self.host = host
    }

    var format: AudioFormat {
        AudioFormat(sampleRate: settings.rate, channels: settings.channels)
    }

    var blockMilliseconds: Int { 100 }

    var positions: Set<SpeakerPosition> {
        switch settings.position {
        case .mix: [.mixed]
        case .incoming: [.incoming]
        case .fullMix: [.fullMix]
        case .split: [.split]
        case .microphone: [.oneWay]
        case .shareAudio: [.shared]
        case .mixMinus: [.mixMinus]
        }
    }

    func hears(_ track: Track) -> Bool {
        if settings.position == .mixMinus {
            listener = listener ?? track.participant
            return track.participant == listener
        }
        guard track.participant == nil else { return false }
        hasTrack = true
        return true
    }

    func onStart() throws {
        // Participants come later.
        guard hasTrack || settings.position == .mixMinus else {
            throw PluginError(
                settings.position == .split
                    ? "the output gets no split; write tracks: [split], in a session with a call"
                    : "the session has no \(settings.position.rawValue); add it to the session file",
                status: .unavailable)
        }
        file = try AudioFileWriter(path: settings.path, format: format)
    }

    func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) throws {
        try write(block)
    }

    func onVirtualSpeakerOneWayAudioReceived(_ block: borrowing OutputBlock) throws {
        try write(block)
    }

    func onVirtualSpeakerSharedAudioReceived(_ block: borrowing OutputBlock) throws {
        try write(block)
    }

    func onStop() {
        do {
            if let file {
                try file.close()
                host.fileFinished(settings.path)
            }
        } catch {
            host.giveUp("\(error)", status: .unavailable)
        }
        file = nil
    }

    private func write(_ block: borrowing OutputBlock) throws {
        guard let file else { return }
        do {
            try file.write(block.samples)
        } catch {
            // An error that stops one block stops the next ones, too. The file so far is playable.
            self.file = nil
            host.giveUp("\(error)", status: .unavailable)
            throw error
        }
        host.report("seconds", Double(file.frameCount) / Double(settings.rate))
    }
}
