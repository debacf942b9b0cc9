// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The kind of a sample.
public enum RPSampleBufferType: Int, Sendable {
    /// The screen.
    case video = 1
    /// Not captured here.
    case audioApp
    /// Not captured here.
    case audioMic
}

/// The device's orientation, set in a session file: the orientation of captured frames.
public enum DeviceOrientation: String, CaseIterable, Sendable {
    /// Frames are upright.
    case up
    /// Frames are half a turn off.
    case down
    /// Frames are a quarter turn off.
    case left
    /// Frames are a quarter turn off, the other way.
    case right

    var image: CGImagePropertyOrientation {
        switch self {
        case .up: .up
        case .down: .down
        case .left: .left
        case .right: .right
        }
    }

    /// Whether an upright frame has the sides of a captured one swapped.
    package var isSideways: Bool { self == .left || self == .right }
}

/// The settings of a plugin that captures the session's share.
public struct CaptureSettings: PluginSettings {
    /// The device's orientation.
    public var orientation = DeviceOrientation.up
    /// The folder that the app and its extension share; empty for none.
    public var group = ""

    /// Upright, without a folder.
    public init() {}

    /// The settings in a session file.
    public static let table: [Setting<Self>] = [
        .choice("orientation", \.orientation, title: "How the device is held"),
        .path("group", \.group, title: "Folder that the app and its extension share"),
    ]
}

extension CMSampleBuffer {
    /// Copies a frame of the session, as the system's recorder hands it over.
    package convenience init?(_ frame: borrowing OutputFrame, orientation: DeviceOrientation) {
        guard frame.format == .nv12, let buffer = CVPixelBuffer(copying: frame) else { return nil }
        self.init(
            buffer,
            attachments: [
                RPVideoSampleOrientationKey: NSNumber(value: orientation.image.rawValue)
            ], time: CMTime(value: frame.timeNanoseconds, timescale: 1_000_000_000))
    }
}

extension Track {
    /// The want of a recorder: the session's share, as the system's recorder gives it. Nil for other
    /// tracks.
    package var recorderWant: TrackWant? {
        guard kind == .share, participant == nil else { return nil }
        if let size = capability?.size { UIScreen.main.setSize(size) }
        return .video(VideoTrackWant(format: .nv12, matrix: .bt601))
    }
}

/// The recorder of the app's own screen. In a broadcast or an app that shares its screen it captures the session's share.
public final class RPScreenRecorder: NSObject, @unchecked Sendable {
    private static let recorder = RPScreenRecorder()
    private let lock = NSLock()
    private var handler: ((CMSampleBuffer, RPSampleBufferType, (any Error)?) -> Void)?

    /// The recorder.
    public static func shared() -> RPScreenRecorder { recorder }

    /// Whether it captures.
    public var isRecording: Bool { lock.withLock { handler != nil } }

    /// Whether it can capture: always.
    public var isAvailable: Bool { true }

    /// Captures.
    ///
    /// - Parameters:
    ///   - captureHandler: Gets each frame, on the host's media thread.
    ///   - completionHandler: Called at once.
    public func startCapture(
        handler captureHandler: ((CMSampleBuffer, RPSampleBufferType, (any Error)?) -> Void)?,
        completionHandler: (((any Error)?) -> Void)? = nil
    ) {
        lock.withLock { handler = captureHandler }
        completionHandler?(nil)
    }

    /// Ends the capture.
    public func stopCapture(handler: (((any Error)?) -> Void)? = nil) {
        lock.withLock { self.handler = nil }
        handler?(nil)
    }

    /// Hands a frame to the app.
    package func capture(_ sample: CMSampleBuffer) {
        lock.withLock { handler }?(sample, .video, nil)
    }
}

/// The handler of a broadcast upload extension.
open class RPBroadcastSampleHandler: NSObject, @unchecked Sendable {
    package var session: BroadcastSession?

    /// Makes a handler.
    public override init() {}

    /// The broadcast begins; on the main queue.
    open func broadcastStarted(withSetupInfo setupInfo: [String: NSObject]?) {}
    /// Not called: a share that pauses sends no frames.
    open func broadcastPaused() {}
    /// Not called.
    open func broadcastResumed() {}
    /// The broadcast ends; on the main queue.
    open func broadcastFinished() {}
    /// Gets each frame, on the host's media thread.
    open func processSampleBuffer(
        _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
    ) {}

    /// Ends the broadcast. Its plugin finishes; the session continues.
    public func finishBroadcastWithError(_ error: any Error) {
        session?.host.finish((error as NSError).localizedDescription)
    }
}

/// The picker that starts a broadcast; here the session file does.
public final class RPSystemBroadcastPickerView: UIView {
    /// Has no effect.
    public var preferredExtension: String?

    /// Makes a picker that nobody sees.
    public override init(frame: CGRect) {
        VendorHost.explain("RPSystemBroadcastPickerView", "the session starts the broadcast")
        super.init(frame: frame)
    }
}

/// A broadcast's place in the session: a participant, whose share is what the extension sends.
package final class BroadcastSession: @unchecked Sendable {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var newest: BroadcastSession?

    /// The broadcast that runs in this library.
    package static var current: BroadcastSession? { lock.withLock { newest } }

    package let host: PluginHost
    private let isSideways: Bool
    private let lock = NSLock()
    private var participant: CallParticipant?
    private var gate: SendGate<VideoSender>?

    package init(_ host: PluginHost, orientation: DeviceOrientation) {
        self.host = host
        isSideways = orientation.isSideways
        Self.lock.withLock { Self.newest = self }
    }

    /// Joins the session, once.
    package func join(_ name: String) throws(SendRefusal) {
        lock.lock()
        defer { lock.unlock() }
        guard gate == nil else { return }
        let screen = UIScreen.main.nativeBounds.size
        let (width, height) = (Int(screen.width), Int(screen.height))
        let participant = try host.join(name)
        let track = try participant.openShare(
            upTo: VideoCapability(
                width: isSideways ? height : width, height: isSideways ? width : height, fps: 30))
        self.participant = participant
        let gate = SendGate(track.sender)
        gate.open()
        self.gate = gate
    }

    /// Sends a frame.
    ///
    /// - Returns: Why the host refused; nil if it took the frame.
    package func send(
        _ buffer: CVPixelBuffer, rotation: Rotation, ptsNanoseconds: Int64?
    ) -> Status? {
        guard let gate = lock.withLock({ gate }) else { return .notStarted }
        return gate.send { sender throws(SendRefusal) in
            try sender.send(buffer, rotation: rotation, ptsNanoseconds: ptsNanoseconds)
        }
    }

    /// The sender of the share; nil before it has joined.
    package var sender: VideoSender? { lock.withLock { gate }?.value }

    /// Leaves the session.
    package func leave() {
        let (gate, participant) = lock.withLock {
            defer { (self.gate, self.participant) = (nil, nil) }
            return (self.gate, self.participant)
        }
        gate?.close()
        participant?.leave()
    }
}

/// A broadcast upload extension.
public protocol BroadcastApp {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// Makes the handler, on the main queue.
    static func makeHandler() -> RPBroadcastSampleHandler
}

// The SDK's protocols document the members.
// swift-format-ignore
/// A broadcast upload extension as a plugin. The system that it records is the session's share; it joins
/// the session as a participant.
public struct BroadcastExtension<App: BroadcastApp>: Call {
    public typealias Settings = CaptureSettings

    public static var plugin: PluginDescription { App.plugin }

    private let host: PluginHost
    private let settings: CaptureSettings
    private let handler: RPBroadcastSampleHandler

    public init(settings: CaptureSettings, host: PluginHost) {
        VendorHost.current = host
        AppGroup.setFolder(settings.group)
        self.host = host
        self.settings = settings
        handler = MainQueue.run(App.makeHandler)
    }

    public func onTrack(_ track: Track) -> TrackWant? { track.recorderWant }

    public func onStart() {
        handler.session = BroadcastSession(host, orientation: settings.orientation)
        MainQueue.run { handler.broadcastStarted(withSetupInfo: nil) }
    }

    public func onVideo(_ frame: borrowing OutputFrame) {
        guard frame.content == .new,
            let sample = CMSampleBuffer(frame, orientation: settings.orientation)
        else { return }
        handler.processSampleBuffer(sample, with: .video)
        RPScreenRecorder.shared().capture(sample)
    }

    public func onStop() {
        MainQueue.run(handler.broadcastFinished)
        handler.session?.leave()
        handler.session = nil
    }
}
