import GreenroomPlugin

/// Plays a file's video as a camera.
final class Media: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.media", name: "Media", version: "1.0.0",
        summary: "Plays the video of a file or a stream as a camera", vendor: "Greenroom",
        needs: [.process, .oneProcess])

    private var player: VideoPlayer
    private var sender: VideoSender?

    init(settings: MediaSettings, host: PluginHost) throws {
        player = try VideoPlayer(settings, host: host, family: .session)
    }

    func onSettingsChange(_ settings: MediaSettings) { player.change(settings) }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        return try player.open(suggested)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { player.follow(suggested) }

    func onStartSend() throws {
        if let sender { try player.start(sender) }
    }

    func onStopSend() { player.stop() }

    func onUninitialized() {
        sender = nil
        player.close()
    }
}

/// Plays a file's video as a share.
final class MediaShare: ShareSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.media-share", name: "MediaShare", version: "1.0.0",
        summary: "Plays the video of a file or a stream as a share", vendor: "Greenroom",
        needs: [.process, .oneProcess])

    private var player: VideoPlayer

    init(settings: MediaSettings, host: PluginHost) throws {
        player = try VideoPlayer(settings, host: host, family: .share)
    }

    func onSettingsChange(_ settings: MediaSettings) { player.change(settings) }
    func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer { try player.open(limit) }
    func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        player.follow(limit)
    }
    func onShareSendStarted(_ sender: ShareSender) throws { try player.start(sender) }
    func onShareSendStopped() { player.stop() }
    func onShareUninitialized() { player.close() }
}

/// The common part of camera and share.
struct VideoPlayer {
    private let host: PluginHost
    private let family: MediaSources.Family
    private var settings: MediaSettings
    private var source: (any MediaSource)?
    private var format: VideoFormat?
    private var pump: FramePump?
    /// Whether the file's video cannot be sent, and its audio plays without it.
    private var isLeftOut = false

    init(_ settings: MediaSettings, host: PluginHost, family: MediaSources.Family) throws {
        _ = try MediaAddress(settings)
        self.settings = settings
        self.host = host
        self.family = family
    }

    mutating func change(_ settings: MediaSettings) {
        source?.change(from: self.settings, to: settings, at: host.nowNanoseconds)
        self.settings = settings
    }

    /// - Parameter suggested: The format of black frames, if there is no video.
    mutating func open(_ suggested: VideoCapability) throws -> VideoAnswer {
        let source = try MediaSources.source(of: .video, settings, for: family, host: host)
        self.source = source
        for note in source.notes { host.log(.warning, note) }
        guard let parameters = source.parameters(of: .video) else {
            if source is FileSource {
                host.log(.warning, "\(source.name): no video in the file; showing black")
            }
            format = VideoFormat(black: suggested)
            return .accept
        }
        let format: VideoFormat
        do {
            format = try VideoFormat(parameters, name: source.name)
            _ = try MediaDecoder(parameters, threads: 1)
        } catch  where source.parameters(of: .audio) != nil {
            host.log(.error, "\(error); the audio plays without the video")
            isLeftOut = true
            self.format = VideoFormat(black: suggested)
            return .accept
        }
        for note in format.notes { host.log(.warning, note) }
        self.format = format
        return .fixed(format.capability)
    }

    /// Keeps the file's size and rate.
    mutating func follow(_ suggested: VideoCapability) -> VideoAnswer? {
        guard let format else { return nil }
        guard format.isFixed else {
            self.format = VideoFormat(black: suggested)
            pump?.follow(suggested)
            return .accept
        }
        pump?.follow(VideoCapability(size: format.size, rate: format.rate))
        return .fixed(format.capability)
    }

    mutating func start(_ sender: VideoSender) throws {
        guard let source, let format else { return }
        source.keep(.all, of: .video)
        let host = host
        var reader: VideoReader?
        let writer = FrameWriter(format)
        let (isLeftOut, isBlack) = (
            isLeftOut, source is FileSource && source.parameters(of: .video) == nil
        )
        pump = try FramePump(
            sender: sender, capability: VideoCapability(size: format.size, rate: format.rate),
            format: format.format, color: format.color, rotation: format.rotation,
            fill: { frame, time in
                // A stream's format is known when it has connected.
                if reader == nil, !isLeftOut, let parameters = source.parameters(of: .video) {
                    reader = try VideoReader(source, parameters, host: host)
                }
                let decoded = try reader?.frame(at: time.ptsNanoseconds)
                guard isBlack || decoded.map({ !$0.isHeld }) ?? false else { throw NothingNew() }
                try writer.write(decoded?.frame, to: &frame)
            })
    }

    mutating func stop() {
        pump?.stop()
        pump = nil
        source?.keep(.latest, of: .video)
    }

    mutating func close() {
        source?.release(.video)
        source = nil
    }
}
