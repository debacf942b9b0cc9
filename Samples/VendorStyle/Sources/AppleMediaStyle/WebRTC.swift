// The names are those of WebRTC's iOS framework.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The clockwise turn that makes a frame upright.
public enum RTCVideoRotation: Int, Sendable {
    /// Upright.
    case _0 = 0
    /// A quarter turn.
    case _90 = 90
    /// Half a turn.
    case _180 = 180
    /// Three quarters of a turn.
    case _270 = 270
}

/// The pixels of a frame.
public final class RTCCVPixelBuffer: NSObject {
    let buffer: CVPixelBuffer

    /// Takes a buffer over.
    public init(pixelBuffer: CVPixelBuffer) { buffer = pixelBuffer }
}

/// A frame. Its time is its arrival.
public final class RTCVideoFrame: NSObject {
    let pixels: RTCCVPixelBuffer
    let rotation: RTCVideoRotation

    /// Makes a frame; the host ignores its time.
    public init(buffer: RTCCVPixelBuffer, rotation: RTCVideoRotation, timeStampNs: Int64) {
        pixels = buffer
        self.rotation = rotation
    }
}

/// Gets the frames of a capturer.
public protocol RTCVideoCapturerDelegate: AnyObject {
    /// Gets a frame.
    func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame)
}

/// A source of frames.
open class RTCVideoCapturer: NSObject {
    /// Gets the frames.
    public weak var delegate: (any RTCVideoCapturerDelegate)?

    /// Makes a capturer.
    public init(delegate: any RTCVideoCapturerDelegate) { self.delegate = delegate }
}

/// Sends frames: as the camera of a ``WebRTCCamera``, or as the share of a broadcast's participant.
public final class RTCVideoSource: NSObject, RTCVideoCapturerDelegate, @unchecked Sendable {
    /// Has no effect: the host scales, and keeps the rate of the session.
    public func adaptOutputFormat(toWidth width: Int32, height: Int32, fps: Int32) {
        VendorHost.explain("adaptOutputFormat", "outputs say the size and rate that they want")
    }

    /// Sends a frame.
    public func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        guard let rotation = Rotation(rawValue: UInt32(clamping: frame.rotation.rawValue)) else {
            return
        }
        _ = PushedFrames.send(
            frame.pixels.buffer, rotation: rotation,
            ptsNanoseconds: VendorHost.current?.nowNanoseconds, joiningAs: "WebRTC")
    }
}

/// A track of audio; a session file names the microphone.
public final class RTCAudioTrack: NSObject {}

/// A track of a source's frames.
public final class RTCVideoTrack: NSObject {
    /// The source.
    public let source: RTCVideoSource

    init(_ source: RTCVideoSource) { self.source = source }
}

/// The tracks of the app.
public final class RTCMediaStream: NSObject {
    /// The tracks of audio.
    public private(set) var audioTracks: [RTCAudioTrack] = []
    /// The tracks of video.
    public private(set) var videoTracks: [RTCVideoTrack] = []

    /// Adds a track.
    public func addAudioTrack(_ audioTrack: RTCAudioTrack) { audioTracks.append(audioTrack) }
    /// Adds a track.
    public func addVideoTrack(_ videoTrack: RTCVideoTrack) { videoTracks.append(videoTrack) }
}

/// Makes tracks.
public final class RTCPeerConnectionFactory: NSObject {
    /// Makes a factory.
    public override init() {}

    /// Makes a stream without tracks.
    public func mediaStream(withStreamId streamId: String) -> RTCMediaStream { RTCMediaStream() }
    /// Makes a track; it has no effect.
    public func audioTrack(withTrackId trackId: String) -> RTCAudioTrack {
        VendorHost.explain("audioTrack(withTrackId:)", "name a plugin under `microphone`")
        return RTCAudioTrack()
    }
    /// Makes a source.
    public func videoSource() -> RTCVideoSource { RTCVideoSource() }
    /// Makes a track.
    public func videoTrack(with source: RTCVideoSource, trackId: String) -> RTCVideoTrack {
        RTCVideoTrack(source)
    }
}

/// An app that sends WebRTC's video track.
public protocol WebRTCApp: AnyObject {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// Makes the app, on the main queue.
    init()
    /// Begin to capture. Runs on the main queue.
    func start(peerConnectionFactory: RTCPeerConnectionFactory)
    /// Capture no more frames. Runs on the main queue.
    func stop()
}

/// The settings of an app that sends WebRTC's video track.
public struct AppSettings: PluginSettings {
    /// The folder that the app and its extension share; empty for none.
    public var group = ""

    /// Without a folder.
    public init() {}

    /// The settings in a session file.
    public static let table: [Setting<Self>] = [
        .path("group", \.group, title: "Folder that the app and its extension share")
    ]
}

// The SDK's protocols document the members.
// swift-format-ignore
/// The frames that an app hands to WebRTC, as the session's camera. The host scales frames of another size
/// than it suggested. A library has one at a time.
public struct WebRTCCamera<App: WebRTCApp>: VideoSource {
    public typealias Settings = AppSettings

    public static var plugin: PluginDescription { App.plugin }

    private let app: App
    private var gate: SendGate<VideoSender>?

    public init(settings: AppSettings, host: PluginHost) {
        VendorHost.current = host
        AppGroup.setFolder(settings.group)
        app = MainQueue.run { App() }
    }

    public mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        gate = SendGate(sender)
        return .accept
    }

    public func onStartSend() {
        gate?.open()
        PushedFrames.setCamera(gate)
        MainQueue.run { app.start(peerConnectionFactory: RTCPeerConnectionFactory()) }
    }

    public func onStopSend() {
        MainQueue.run(app.stop)
        PushedFrames.setCamera(nil)
        gate?.close()
    }
}
