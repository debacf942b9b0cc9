// The SDK's protocols document the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import AppleMediaStyle

/// An app that uses the engine.
public protocol AgoraApp: AnyObject {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// The size and rate of the frames that it pushes: 1280x720 at 30 by default.
    static var capability: VideoCapability { get }
    /// Makes the app, on the main queue.
    init()
    /// Begin to push frames, or join the channel. Runs on the main queue.
    func start()
    /// Push no more frames, and leave. Runs on the main queue.
    func stop()
}

extension AgoraApp {
    public static var capability: VideoCapability {
        VideoCapability(width: 1280, height: 720, fps: 30)
    }
}

/// The external video source of an app, as the session's camera. A library has one at a time.
public struct AgoraCamera<App: AgoraApp>: VideoSource {
    public static var plugin: PluginDescription { App.plugin }

    private let app: App
    private var gate: SendGate<VideoSender>?

    public init(settings: NoSettings, host: PluginHost) {
        VendorHost.current = host
        app = MainQueue.run { App() }
    }

    public mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        gate = SendGate(sender)
        return .fixed(App.capability)
    }

    public func onStartSend() {
        gate?.open()
        PushedFrames.setCamera(gate)
        MainQueue.run(app.start)
    }

    public func onStopSend() {
        MainQueue.run(app.stop)
        PushedFrames.setCamera(nil)
        gate?.close()
    }
}

/// An app that receives: the participants of the session's call are the users of the channel. A library has
/// one at a time.
public struct AgoraReceiver<App: AgoraApp>: Output {
    public static var plugin: PluginDescription { App.plugin }

    private let app: App
    private let channel: AgoraChannel
    private var people = People()

    public init(settings: NoSettings, host: PluginHost) {
        VendorHost.current = host
        channel = AgoraChannel(host)
        app = MainQueue.run { App() }
    }

    public mutating func onTrack(_ track: Track) -> TrackWant? { people.want(of: track, channel) }
    public func onStart() { MainQueue.run(app.start) }
    public func onVideo(_ frame: borrowing OutputFrame) { channel.receive(frame) }
    public func onAudio(_ block: borrowing OutputBlock) { channel.receive(block) }
    public mutating func onTrackEnded(_ track: Track) { people.end(track, channel) }

    public func onStop() {
        MainQueue.run(app.stop)
        _ = channel.leave()
    }
}
