// The names are those of WebRTC's iOS framework.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// How far to turn a frame clockwise to see it upright.
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

/// Sends frames as the share of a participant of the session.
public final class RTCVideoSource: NSObject, RTCVideoCapturerDelegate, @unchecked Sendable {
    /// Has no effect: the host scales, and keeps the rate of the session.
    public func adaptOutputFormat(toWidth width: Int32, height: Int32, fps: Int32) {
        VendorHost.explain("adaptOutputFormat", "outputs say the size and rate that they want")
    }

    /// Sends a frame.
    public func capturer(_ capturer: RTCVideoCapturer, didCapture frame: RTCVideoFrame) {
        guard let session = BroadcastSession.current,
            let rotation = Rotation(rawValue: UInt32(frame.rotation.rawValue))
        else { return }
        do {
            try session.join("WebRTC")
        } catch {
            return VendorHost.log(.error, "\(error)")
        }
        _ = session.send(
            frame.pixels.buffer, rotation: rotation, ptsNanoseconds: session.host.nowNanoseconds)
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
