internal import GreenroomMedia
internal import Synchronization

/// Runs a ``PumpedVideo`` between the callbacks of a source and the thread of a pump.
private struct VideoDriver<Content: PumpedVideo> {
    /// Both the control thread and the pump's thread come here, one at a time.
    private final class Shared: Sendable {
        let content: Mutex<Content>
        init(_ content: sending Content) { self.content = Mutex(content) }
    }

    private let shared: Shared
    private var answer = VideoAnswer.accept
    private var pump: FramePump?

    init(settings: Content.Settings, host: PluginHost) throws {
        shared = Shared(try Content(settings: settings, host: host))
    }

    func sessionEvent(_ json: String) { shared.content.withLock { $0.onSessionEvent(json) } }

    func change(_ settings: Content.Settings) {
        shared.content.withLock { $0.onSettingsChange(settings) }
    }

    /// Answers the offer, and stores the agreement.
    mutating func initialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        answer = try shared.content.withLock { content in
            try content.onInitialize(supported: supported, suggested: suggested)
        }
        return answer
    }

    mutating func propertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        do {
            answer = try shared.content.withLock { content in
                try content.onPropertyChange(supported: supported, suggested: suggested) ?? .accept
            }
        } catch is OfferIgnored {
            switch answer {
            case .fixed: break  // It stays.
            case .accept, .counter: answer = .accept
            }
        }
        pump?.follow(answer.capability(suggested: suggested))
        return answer
    }

    mutating func start(_ sender: VideoSender, _ capability: VideoCapability) throws {
        let (format, color) = try shared.content.withLock { content in
            try content.onStartSend()
            return (content.format, content.color)
        }
        do {
            pump = try FramePump(
                sender: sender, capability: capability, format: format, color: color
            ) { [shared] frame, time in
                try shared.content.withLock { try $0.fill(&frame, at: time) }
            }
        } catch {
            shared.content.withLock { $0.onStopSend() }
            throw error
        }
    }

    mutating func stop() {
        pump?.stop()
        pump = nil
        shared.content.withLock { $0.onStopSend() }
    }

    func uninitialize() { shared.content.withLock { $0.onUninitialized() } }
}

/// Makes a ``Camera`` or a ``Composer`` a ``VideoSource``.
struct PumpedVideoSource<Content: PumpedVideo>: VideoSource {
    static var plugin: PluginDescription { Content.plugin }
    static var capabilities: [VideoCapability] { Content.capabilities }

    private var driver: VideoDriver<Content>
    private var sender: VideoSender?
    private var agreed: VideoCapability?

    init(settings: Content.Settings, host: PluginHost) throws {
        driver = try VideoDriver(settings: settings, host: host)
    }

    func onSettingsChange(_ settings: Content.Settings) { driver.change(settings) }
    func onSessionEvent(_ json: String) { driver.sessionEvent(json) }

    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        let answer = try driver.initialize(supported: supported, suggested: suggested)
        self.sender = sender
        agreed = answer.capability(suggested: suggested)
        return answer
    }

    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? {
        let answer = try driver.propertyChange(supported: supported, suggested: suggested)
        agreed = answer.capability(suggested: suggested)
        return answer
    }

    mutating func onStartSend() throws {
        guard let sender, let agreed else { return }
        try driver.start(sender, agreed)
    }

    mutating func onStopSend() { driver.stop() }

    mutating func onUninitialized() {
        sender = nil
        driver.uninitialize()
    }
}

extension VideoDriver where Content: Composer {
    fileprivate func track(_ track: Track) throws -> TrackWant? {
        try shared.content.withLock { try $0.onTrack(track) }
    }

    fileprivate func video(_ frame: borrowing OutputFrame) throws {
        try shared.content.withLock { try $0.onVideo(frame) }
    }

    fileprivate func audio(_ block: borrowing OutputBlock) throws {
        try shared.content.withLock { try $0.onAudio(block) }
    }

    fileprivate func trackEnded(_ track: Track) {
        shared.content.withLock { $0.onTrackEnded(track) }
    }
}

/// The tracks for a ``Composer``.
extension PumpedVideoSource where Content: Composer {
    func onTrack(_ track: Track) throws -> TrackWant? { try driver.track(track) }
    func onVideo(_ frame: borrowing OutputFrame) throws { try driver.video(frame) }
    func onAudio(_ block: borrowing OutputBlock) throws { try driver.audio(block) }
    func onTrackEnded(_ track: Track) { driver.trackEnded(track) }
}

/// Makes a ``Screen`` a ``ShareSource``.
struct ScreenSource<Content: Screen>: ShareSource {
    static var plugin: PluginDescription { Content.plugin }
    static var capabilities: [VideoCapability] { Content.capabilities }

    private var driver: VideoDriver<Content>
    private var agreed: VideoCapability?

    init(settings: Content.Settings, host: PluginHost) throws {
        driver = try VideoDriver(settings: settings, host: host)
    }

    func onSettingsChange(_ settings: Content.Settings) { driver.change(settings) }
    func onSessionEvent(_ json: String) { driver.sessionEvent(json) }

    mutating func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer {
        let answer = try driver.initialize(supported: [limit], suggested: limit)
        agreed = answer.capability(suggested: limit)
        return answer
    }

    mutating func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        let answer = try driver.propertyChange(supported: [limit], suggested: limit)
        agreed = answer.capability(suggested: limit)
        return answer
    }

    mutating func onShareSendStarted(_ sender: ShareSender) throws {
        guard let agreed else { return }
        try driver.start(sender, agreed)
    }

    mutating func onShareSendStopped() { driver.stop() }

    mutating func onShareUninitialized() { driver.uninitialize() }
}
