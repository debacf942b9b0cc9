// The SDK's protocols document the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import AppleMediaStyle

/// An app of the Video SDK, as the part of it that joins a session.
public protocol ZoomApp {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// Gives its sources to the context, as before `joinSession`. Runs on the main queue.
    static func join(_ sessionContext: ZoomVideoSDKSessionContext)
}

extension ZoomApp {
    /// Joins, and returns what the app gave.
    fileprivate static func context(_ host: PluginHost) -> ZoomVideoSDKSessionContext {
        VendorHost.current = host
        let context = ZoomVideoSDKSessionContext()
        MainQueue.run {
            ZoomVideoSDK.context = context
            join(context)
            ZoomVideoSDK.context = nil
        }
        return context
    }

    fileprivate static func lacks(_ what: String) -> PluginError {
        PluginError("\(plugin.name) has no \(what): set it in join(_:)", status: .unavailable)
    }
}

/// The camera of an app: its `externalVideoSourceDelegate`.
public struct ZoomCamera<App: ZoomApp>: VideoSource {
    public static var plugin: PluginDescription { App.plugin }

    private let source: any ZoomVideoSDKVideoSource
    private var sender: ZoomVideoSDKVideoSender?

    public init(settings: NoSettings, host: PluginHost) throws {
        guard let source = App.context(host).externalVideoSourceDelegate else {
            throw App.lacks("externalVideoSourceDelegate")
        }
        self.source = source
    }

    public mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        let sender = ZoomVideoSDKVideoSender(sender)
        self.sender = sender
        return agree(suggested) { source, suggestion in
            source.onInitialize(
                sender, supportCapabilityArray: supported.map(ZoomVideoSDKVideoCapability.init),
                suggestCapability: suggestion)
        }
    }

    public func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        agree(suggested) { source, suggestion in
            source.onPropertyChange(
                supported.map(ZoomVideoSDKVideoCapability.init), suggestCapability: suggestion)
        }
    }

    public func onStartSend() {
        sender?.gate.open()
        MainQueue.run(source.onStartSend)
    }

    public func onStopSend() {
        MainQueue.run(source.onStopSend)
        sender?.gate.close()
    }

    public mutating func onUninitialized() {
        MainQueue.run(source.onUninitialized)
        sender = nil
    }

    /// Tells of an offer. A source that writes another size into the suggestion declares that size.
    private func agree(
        _ suggested: VideoCapability,
        _ tell: (any ZoomVideoSDKVideoSource, ZoomVideoSDKVideoCapability) -> Void
    ) -> VideoAnswer {
        let revision = sender?.gate.value.offerRevision ?? 0
        // A pump may send the new size before the callback returns.
        sender?.sizes.note(suggested.size, of: revision)
        let suggestion = ZoomVideoSDKVideoCapability(suggested)
        let (width, height, frame) = (suggestion.width, suggestion.height, suggestion.frame)
        MainQueue.run { tell(source, suggestion) }
        guard (width, height, frame) != (suggestion.width, suggestion.height, suggestion.frame)
        else { return .accept }
        let wish = VideoCapability(
            width: suggestion.width, height: suggestion.height, fps: suggestion.frame)
        sender?.sizes.note(wish.size, of: revision)
        return .fixed(wish)
    }
}

/// The microphone of an app: its `virtualAudioMicDelegate`.
public struct ZoomMicrophone<App: ZoomApp>: VirtualAudioMic {
    public static var plugin: PluginDescription { App.plugin }

    private let source: any ZoomVideoSDKVirtualAudioMic
    private var sender: ZoomVideoSDKAudioSender?

    public init(settings: NoSettings, host: PluginHost) throws {
        guard let source = App.context(host).virtualAudioMicDelegate else {
            throw App.lacks("virtualAudioMicDelegate")
        }
        self.source = source
    }

    public mutating func onMicInitialize(_ sender: AudioSender) {
        let sender = ZoomVideoSDKAudioSender(sender)
        self.sender = sender
        MainQueue.run { source.onMicInitialize(sender) }
    }

    public func onMicStartSend() {
        sender?.gate.open()
        MainQueue.run(source.onMicStartSend)
    }

    public func onMicStopSend() {
        MainQueue.run(source.onMicStopSend)
        sender?.gate.close()
    }

    public mutating func onMicUninitialized() {
        MainQueue.run(source.onMicUninitialized)
        sender = nil
    }
}

/// The share of an app: what it passes to `startSharingExternalSource`.
public struct ZoomShare<App: ZoomApp>: ShareSource {
    public static var plugin: PluginDescription { App.plugin }

    private let source: any ZoomVideoSDKShareSource
    private var sender: ZoomVideoSDKShareSender?

    public init(settings: NoSettings, host: PluginHost) throws {
        guard let source = App.context(host).shareSource else {
            throw App.lacks("source from startSharingExternalSource")
        }
        self.source = source
    }

    public mutating func onShareSendStarted(_ sender: ShareSender) {
        let sender = ZoomVideoSDKShareSender(sender)
        self.sender = sender
        sender.gate.open()
        MainQueue.run { source.onShareSendStarted(sender) }
    }

    public mutating func onShareSendStopped() {
        MainQueue.run(source.onShareSendStopped)
        sender?.gate.close()
        sender = nil
    }
}

/// The filter of an app: its `preProcessorDelegate`.
public struct ZoomFilter<App: ZoomApp>: VideoSourcePreProcessor {
    public static var plugin: PluginDescription { App.plugin }

    private let filter: any ZoomVideoSDKVideoSourcePreProcessor

    public init(settings: NoSettings, host: PluginHost) throws {
        guard let filter = App.context(host).preProcessorDelegate else {
            throw App.lacks("preProcessorDelegate")
        }
        self.filter = filter
    }

    /// The filter reads the size of each frame.
    public func onPreProcessPropertyChange(_ capability: VideoCapability) {}

    public func onPreProcessRawData(_ frame: inout MutableFrame) {
        guard let data = ZoomVideoSDKPreProcessRawData(&frame) else { return }
        filter.onPreProcessRawData(data)
    }
}

/// The receiving part of an app: its `ZoomVideoSDK.delegate`, its `virtualAudioSpeakerDelegate` and the delegates of
/// pipes. The participants of the session's call are the users. A library has one at a time.
public struct ZoomReceiver<App: ZoomApp>: Output {
    public static var plugin: PluginDescription { App.plugin }

    private let room: ZoomRoom
    private var people = People()

    public init(settings: NoSettings, host: PluginHost) {
        room = ZoomRoom(host)
        room.take(App.context(host))
    }

    public mutating func onTrack(_ track: Track) -> TrackWant? { people.want(of: track, room) }
    public func onStart() { MainQueue.run(room.start) }
    public func onVideo(_ frame: borrowing OutputFrame) { room.receive(frame) }
    public func onAudio(_ block: borrowing OutputBlock) { room.receive(block) }
    public mutating func onTrackEnded(_ track: Track) { people.end(track, room) }
    public func onStop() { MainQueue.run(room.stop) }
}
