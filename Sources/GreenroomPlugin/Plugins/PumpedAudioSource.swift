internal import GreenroomMedia
internal import Synchronization

/// Runs a ``PumpedAudio`` between the callbacks of a source and the thread of a pump.
private struct AudioDriver<Content: PumpedAudio> {
    /// Both the control thread and the pump's thread come here, one at a time.
    private final class Shared: Sendable {
        let content: Mutex<Content>
        init(_ content: sending Content) { self.content = Mutex(content) }
    }

    private let shared: Shared
    private var pump: AudioPump?

    init(settings: Content.Settings, host: PluginHost) throws {
        shared = Shared(try Content(settings: settings, host: host))
    }

    func sessionEvent(_ json: String) { shared.content.withLock { $0.onSessionEvent(json) } }

    func change(_ settings: Content.Settings) {
        shared.content.withLock { $0.onSettingsChange(settings) }
    }

    func initialize() throws { try shared.content.withLock { try $0.onInitialize() } }

    mutating func start(_ sender: AudioSender) throws {
        let format = try shared.content.withLock { content in
            try content.onStartSend()
            return content.format
        }
        do {
            pump = try AudioPump(sender: sender, format: format) { [shared] samples, time in
                try shared.content.withLock { try $0.fill(&samples, at: time) }
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

/// Makes a ``Microphone`` a ``VirtualAudioMic``.
struct MicrophoneSource<Content: Microphone>: VirtualAudioMic {
    static var plugin: PluginDescription { Content.plugin }

    private var driver: AudioDriver<Content>
    private var sender: AudioSender?

    init(settings: Content.Settings, host: PluginHost) throws {
        driver = try AudioDriver(settings: settings, host: host)
    }

    func onSettingsChange(_ settings: Content.Settings) { driver.change(settings) }
    func onSessionEvent(_ json: String) { driver.sessionEvent(json) }

    mutating func onMicInitialize(_ sender: AudioSender) throws {
        try driver.initialize()
        self.sender = sender
    }

    mutating func onMicStartSend() throws {
        guard let sender else { return }
        try driver.start(sender)
    }

    mutating func onMicStopSend() { driver.stop() }

    mutating func onMicUninitialized() {
        sender = nil
        driver.uninitialize()
    }
}

/// Makes a ``ScreenAudio`` a ``ShareAudioSource``.
struct ScreenAudioSource<Content: ScreenAudio>: ShareAudioSource {
    static var plugin: PluginDescription { Content.plugin }

    private var driver: AudioDriver<Content>

    init(settings: Content.Settings, host: PluginHost) throws {
        driver = try AudioDriver(settings: settings, host: host)
    }

    func onSettingsChange(_ settings: Content.Settings) { driver.change(settings) }
    func onSessionEvent(_ json: String) { driver.sessionEvent(json) }
    func onShareAudioInitialize() throws { try driver.initialize() }
    mutating func onStartSendAudio(_ sender: AudioSender) throws { try driver.start(sender) }
    mutating func onStopSendAudio() { driver.stop() }
    func onShareAudioUninitialized() { driver.uninitialize() }
}
