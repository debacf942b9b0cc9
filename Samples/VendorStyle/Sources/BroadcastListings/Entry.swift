// The names are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import AgoraStyle

// The constants and helpers that the documents leave to the app.

enum KeyCenter {
    static let AppId = "no id is needed"
}

let SCREEN_SHARE_UID: UInt = 1000
let SCREEN_SHARE_UID_MIN: UInt = 1000
let SCREEN_SHARE_UID_MAX: UInt = 1999

enum LogUtils {
    static func log(message: String, level: OSLogType) { os_log(message, type: level) }
}

/// Calls a closure on a queue, again and again.
final class DispatchTimer {
    private let source: any DispatchSourceTimer
    private var isStarted = false

    init(
        timeout: Double, `repeat`: Bool, completion: @escaping () -> Void, queue: DispatchQueue
    ) {
        source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(deadline: .now() + timeout, repeating: `repeat` ? timeout : .infinity)
        source.setEventHandler(handler: completion)
    }

    func start() {
        guard !isStarted else { return }
        isStarted = true
        source.resume()
    }

    deinit {
        source.cancel()
        // A source that was never resumed must not be released.
        if !isStarted { source.resume() }
    }
}

/// The listings of the broadcast, and of the app that has it.
enum AgoraApp: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.agora-broadcast", name: "AgoraBroadcast", version: "1.0.0",
        summary: "A broadcast extension from Agora's guide")

    static func makeHandler() -> RPBroadcastSampleHandler {
        let view = ScreenShareMain()
        view.prepareSystemBroadcaster()
        _ = AgoraRtcEngineKit.sharedEngine(withAppId: KeyCenter.AppId, delegate: view)
        app = view
        return SampleHandler()
    }

    nonisolated(unsafe) private static var app: ScreenShareMain?
}

/// The same broadcast, which the app ends after a second.
enum StatusApp: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.status-broadcast", name: "StatusBroadcast", version: "1.0.0",
        summary: "A broadcast whose app ends it, from Fora Soft's article")

    static func makeHandler() -> RPBroadcastSampleHandler {
        let handler = SampleHandler()
        let inExtension = BroadcastStatusManagerImpl()
        let inApp = BroadcastStatusManagerImpl()
        inExtension.start()
        inExtension.subscribe(handler)
        Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in inApp.stop() }
        manager = inExtension
        return handler
    }

    nonisolated(unsafe) private static var manager: BroadcastStatusManagerImpl?
}

/// Sends what it records over WebRTC's video track.
final class TrackHandler: RPBroadcastSampleHandler, @unchecked Sendable {
    private let track = ScreenTrack()

    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        track.start(peerConnectionFactory: RTCPeerConnectionFactory())
    }

    override func processSampleBuffer(
        _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
    ) { track.handleSampleBuffer(sampleBuffer: sampleBuffer, type: sampleBufferType) }
}

/// The listings of WebRTC's track.
enum TrackApp: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.webrtc-broadcast", name: "WebRTCBroadcast", version: "1.0.0",
        summary: "A broadcast over WebRTC's video track, from Fora Soft's article")

    static func makeHandler() -> RPBroadcastSampleHandler { TrackHandler() }
}

/// The app of Fora Soft's article that shows what it captures of itself.
final class PreviewHandler: RPBroadcastSampleHandler, @unchecked Sendable {
    private let controller = ScreenShareViewController()

    override func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {
        controller.showPicker()
        controller.view.addSubview(controller.videoImageView)
        for button in [
            controller.startScreenShareButton, controller.stopScreenShareButton,
            controller.changeBgColorButton,
        ] { controller.view.addSubview(button) }
        controller.startScreenShareButtonTapped()
    }

    override func broadcastFinished() { RPScreenRecorder.shared().stopCapture() }
}

extension ScreenShareViewController {
    func render(image: UIImage) {
        if videoImageView.image == nil {
            os_log("shows \(Int(image.size.width))x\(Int(image.size.height))")
        }
        videoImageView.image = image
    }
}

/// The listings of a screen that is shared in the app.
enum PreviewApp: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.screen-preview", name: "ScreenPreview", version: "1.0.0",
        summary: "An app that shows what it captures, from Fora Soft's article")

    static func makeHandler() -> RPBroadcastSampleHandler { PreviewHandler() }
}

/// The extension that hands frames to its app in a mapped file.
enum BufferExtension: BroadcastApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.buffer-extension", name: "BufferExtension", version: "1.0.0",
        summary: "A broadcast that writes a mapped file, from Fora Soft's article")

    static func makeHandler() -> RPBroadcastSampleHandler { BufferHandler() }
}

/// Its app, in another process.
final class BufferApp: BufferController, WebRTCApp {
    static let plugin = PluginDescription(
        id: "org.greenroom.sample.buffer-app", name: "BufferApp", version: "1.0.0",
        summary: "The app of a broadcast that writes a mapped file")

    override required init() {}
}

/// The entry of the library, which the host calls.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        BroadcastExtension<AgoraApp>.self, BroadcastExtension<StatusApp>.self,
        BroadcastExtension<TrackApp>.self, BroadcastExtension<PreviewApp>.self,
        BroadcastExtension<BufferExtension>.self, WebRTCCamera<BufferApp>.self)
}
