import GreenroomPlugin

/// Plays a file's audio as a microphone.
final class MediaAudio: Microphone {
    static let plugin = PluginDescription(
        id: "org.greenroom.media-audio", name: "MediaAudio", version: "1.0.0",
        summary: "Plays the audio of a file or a stream as a microphone", vendor: "Greenroom",
        needs: [.process, .oneProcess])

    private var player: AudioPlayer

    init(settings: MediaSettings, host: PluginHost) throws {
        player = try AudioPlayer(settings, host: host, family: .session)
    }

    func onSettingsChange(_ settings: MediaSettings) { player.change(settings) }
    var format: AudioFormat { player.format }
    func onInitialize() throws { try player.open() }
    func onStartSend() throws { try player.start() }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try player.fill(&samples, at: time)
    }

    func onStopSend() { player.stop() }
    func onUninitialized() { player.close() }
}

/// Plays a file's audio as the audio of a share.
final class MediaShareAudio: ScreenAudio {
    static let plugin = PluginDescription(
        id: "org.greenroom.media-share-audio", name: "MediaShareAudio", version: "1.0.0",
        summary: "Plays the audio of a file or a stream as a share's audio", vendor: "Greenroom",
        needs: [.process, .oneProcess])

    private var player: AudioPlayer

    init(settings: MediaSettings, host: PluginHost) throws {
        player = try AudioPlayer(settings, host: host, family: .share)
    }

    func onSettingsChange(_ settings: MediaSettings) { player.change(settings) }
    var format: AudioFormat { player.format }
    func onInitialize() throws { try player.open() }
    func onStartSend() throws { try player.start() }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try player.fill(&samples, at: time)
    }

    func onStopSend() { player.stop() }
    func onUninitialized() { player.close() }
}

/// The common part of microphone and share audio.
struct AudioPlayer {
    private let host: PluginHost
    private let family: MediaSources.Family
    private var settings: MediaSettings
    private var source: (any MediaSource)?
    private var reader: AudioReader?
    private var isLeftOut = false

    init(_ settings: MediaSettings, host: PluginHost, family: MediaSources.Family) throws {
        _ = try MediaAddress(settings)
        self.settings = settings
        self.host = host
        self.family = family
    }

    var format: AudioFormat { reader?.format ?? .session }

    mutating func change(_ settings: MediaSettings) {
        source?.change(from: self.settings, to: settings, at: host.nowNanoseconds)
        self.settings = settings
    }

    mutating func open() throws {
        let source = try MediaSources.source(of: .audio, settings, for: family, host: host)
        self.source = source
        guard source is FileSource, source.parameters(of: .audio) == nil else {
            return try check(source)
        }
        host.log(.warning, "\(source.name): no audio in the file; playing silence")
    }

    /// Video plays without audio that cannot be decoded.
    private mutating func check(_ source: any MediaSource) throws {
        guard let parameters = source.parameters(of: .audio) else { return }
        do {
            _ = try MediaDecoder(parameters, threads: 1)
        } catch  where source.parameters(of: .video) != nil {
            host.log(.error, "\(error); the video plays without the audio")
            isLeftOut = true
        }
    }

    mutating func start() throws {
        source?.keep(.all, of: .audio)
        try connect()
    }

    /// A stream's format is known when it has connected.
    private mutating func connect() throws {
        guard reader == nil, !isLeftOut, let source, let parameters = source.parameters(of: .audio)
        else {
            return
        }
        reader = try AudioReader(
            source, parameters, format: source is FileSource ? nil : .session, host: host)
    }

    mutating func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try connect()
        if isLeftOut || reader == nil && source?.isLost ?? false { throw NothingNew() }
        try reader?.fill(&samples, at: time.ptsNanoseconds)
    }

    mutating func stop() {
        reader = nil
        source?.keep(.latest, of: .audio)
    }
    mutating func close() {
        source?.release(.audio)
        source = nil
    }
}
