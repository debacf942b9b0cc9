import GreenroomPlugin

/// Plays an audio file as a microphone, at its own rate.
final class WaveFile: Microphone {
    static let plugin = PluginDescription(
        id: "org.greenroom.wave-file", name: "WaveFile", version: "1.0.0",
        summary: "Plays an audio file as a microphone", vendor: "Greenroom")

    private let player: WavePlayer

    init(settings: WaveSettings, host: PluginHost) {
        player = WavePlayer(settings: settings, host: host)
    }

    var format: AudioFormat { player.format }

    func onInitialize() throws { try player.open() }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try player.fill(&samples, fromFrame: time.index)
    }

    func onUninitialized() { player.close() }
}

/// Plays an audio file as a share's audio, at its own rate.
final class WaveFileShareAudio: ScreenAudio {
    static let plugin = PluginDescription(
        id: "org.greenroom.wave-file-share-audio", name: "WaveFileShareAudio", version: "1.0.0",
        summary: "Plays an audio file as a share's audio", vendor: "Greenroom")

    private let player: WavePlayer

    init(settings: WaveSettings, host: PluginHost) {
        player = WavePlayer(settings: settings, host: host)
    }

    var format: AudioFormat { player.format }

    func onInitialize() throws { try player.open() }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try player.fill(&samples, fromFrame: time.index)
    }

    func onUninitialized() { player.close() }
}
