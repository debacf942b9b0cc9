// The SDK's protocols document the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import AppleMediaStyle

/// An app of the Calling SDK.
public protocol AzureApp: AnyObject {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// Makes the app, on the main queue.
    init()
    /// The call is connected: attach streams to it. Runs on the main queue.
    func didConnect(to call: Call) throws
}

/// An app and its call.
final class ConnectedApp<App: AzureApp>: @unchecked Sendable {
    let call = Call()
    let app: App
    let host: PluginHost

    init(_ host: PluginHost) {
        VendorHost.current = host
        self.host = host
        app = MainQueue.run { App() }
    }

    func connect() throws {
        try MainQueue.run {
            CallAgent.call = call
            defer { CallAgent.call = nil }
            try app.didConnect(to: call)
        }
    }

    func lacks(_ what: String) -> PluginError {
        PluginError(
            "\(App.plugin.name) attached no \(what): do so in didConnect(to:)",
            status: .unavailable)
    }
}

/// The outgoing video of an app, as the session's camera.
public struct AzureCamera<App: AzureApp>: VideoSource {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var sender: VideoSender?
    private var format: VideoFormat?
    private var isSending = false

    public init(settings: NoSettings, host: PluginHost) { app = ConnectedApp(host) }

    public mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        try app.connect()
        guard let format = app.call.video?.options.format(under: suggested) else {
            throw app.lacks("video stream with a format")
        }
        self.sender = sender
        self.format = format
        return .fixed(format.capability)
    }

    public mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        guard let stream = app.call.video, let sender,
            let format = stream.options.format(under: suggested)
        else { return nil }
        if format !== self.format {
            self.format = format
            if isSending { stream.start(sender, format) }
        }
        return .fixed(format.capability)
    }

    public mutating func onStartSend() {
        isSending = true
        guard let stream = app.call.video, let sender, let format else { return }
        stream.start(sender, format)
    }

    public mutating func onStopSend() {
        isSending = false
        app.call.video?.stop()
    }
}

/// The outgoing screen share of an app, as a participant's. The app's recorder captures the session's
/// share.
public struct AzureScreenShare<App: AzureApp>: GreenroomPlugin.Call {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var session: BroadcastSession?

    public init(settings: NoSettings, host: PluginHost) { app = ConnectedApp(host) }

    public func onTrack(_ track: Track) -> TrackWant? { track.recorderWant }

    public mutating func onStart() throws {
        let session = BroadcastSession(app.host, orientation: .up)
        self.session = session
        app.call.onStartVideo = { stream in
            do {
                try session.join(App.plugin.name)
                let format = stream.options.videoFormats.first
                if let format, let sender = session.sender { stream.start(sender, format) }
            } catch {
                stream.change(.failed)
            }
        }
        try app.connect()
    }

    public func onVideo(_ frame: borrowing OutputFrame) {
        guard frame.content == .new, let sample = CMSampleBuffer(frame, orientation: .up) else {
            return
        }
        RPScreenRecorder.shared().capture(sample)
    }

    public mutating func onStop() {
        RPScreenRecorder.shared().stopCapture()
        app.call.video?.stop()
        session?.leave()
        session = nil
    }
}

/// The outgoing audio of an app.
public struct AzureMicrophone<App: AzureApp>: VirtualAudioMic {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var sender: AudioSender?

    public init(settings: NoSettings, host: PluginHost) { app = ConnectedApp(host) }

    public mutating func onMicInitialize(_ sender: AudioSender) throws {
        try app.connect()
        guard app.call.audio != nil else { throw app.lacks("outgoing audio stream") }
        self.sender = sender
    }

    public func onMicStartSend() {
        if let sender { app.call.audio?.start(sender) }
    }

    public func onMicStopSend() { app.call.audio?.stop() }
}

/// The incoming audio of an app: the sum of all participants that a call brings.
public struct AzureSpeaker<App: AzureApp>: VirtualAudioSpeaker {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>

    public let positions: Set<SpeakerPosition> = [.incoming]
    public let format: AudioFormat

    public init(settings: NoSettings, host: PluginHost) throws {
        let app = ConnectedApp<App>(host)
        try app.connect()
        guard let properties = app.call.incoming?.options.properties else {
            throw app.lacks("incoming audio stream")
        }
        self.app = app
        format = AudioFormat(
            sampleRate: properties.sampleRate.rawValue,
            channels: properties.channelMode.rawValue)
    }

    public func onStart() { app.call.incoming?.change(.started) }
    public func onStop() { app.call.incoming?.change(.stopped) }

    public func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) {
        app.call.incoming?.receive(block)
    }
}
