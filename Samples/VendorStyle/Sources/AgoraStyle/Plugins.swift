// The SDK's protocols document the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import AppleMediaStyle

/// An app that pushes a camera's frames to the engine.
public protocol AgoraApp: AnyObject {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// The size and rate of its frames.
    static var capability: VideoCapability { get }
    /// Makes the app, on the main queue.
    init()
    /// Begin to push frames. Runs on the main queue.
    func start()
    /// Push no more frames. Runs on the main queue.
    func stop()
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
