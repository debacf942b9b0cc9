// The names are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import AppleMediaStyle

/// The bitrate that the SDK chooses.
public let AgoraVideoBitrateStandard = 0

/// Frames per second.
public enum AgoraVideoFrameRate: Int, Sendable {
    /// 1.
    case fps1 = 1
    /// 7.
    case fps7 = 7
    /// 10.
    case fps10 = 10
    /// 15.
    case fps15 = 15
    /// 24.
    case fps24 = 24
    /// 30.
    case fps30 = 30
    /// 60.
    case fps60 = 60
}

/// The orientation of what is sent; it has no effect.
public enum AgoraVideoOutputOrientationMode: Int, Sendable {
    /// The camera's.
    case adaptative
    /// Landscape.
    case fixedLandscape
    /// Portrait.
    case fixedPortrait
}

/// Whether video is mirrored; it has no effect.
public enum AgoraVideoMirrorMode: UInt, Sendable {
    /// The SDK's choice.
    case auto
    /// Mirrored.
    case enabled
    /// Not mirrored.
    case disabled
}

/// The way that video fills a view; it has no effect.
public enum AgoraVideoRenderMode: UInt, Sendable {
    /// The view is filled.
    case hidden = 1
    /// All of the video is shown.
    case fit = 2
    /// As `fit`.
    case adaptive = 3
}

/// The format of what is sent. It has no effect: each output of the session chooses its size and rate.
public final class AgoraVideoEncoderConfiguration: NSObject {
    /// In pixels.
    public var dimensions: CGSize
    /// Frames per second.
    public var frameRate: Int
    /// In kbit/s.
    public var bitrate: Int
    /// The orientation.
    public var orientationMode: AgoraVideoOutputOrientationMode
    /// Whether it is mirrored.
    public var mirrorMode: AgoraVideoMirrorMode

    /// Makes a configuration, as new versions of the SDK do.
    public init(
        size: CGSize, frameRate: Int, bitrate: Int,
        orientationMode: AgoraVideoOutputOrientationMode, mirrorMode: AgoraVideoMirrorMode = .auto
    ) {
        dimensions = size
        self.frameRate = frameRate
        self.bitrate = bitrate
        self.orientationMode = orientationMode
        self.mirrorMode = mirrorMode
    }

    /// Makes a configuration.
    public convenience init(
        size: CGSize, frameRate: AgoraVideoFrameRate, bitrate: Int,
        orientationMode: AgoraVideoOutputOrientationMode, mirrorMode: AgoraVideoMirrorMode = .auto
    ) {
        self.init(
            size: size, frameRate: frameRate.rawValue, bitrate: bitrate,
            orientationMode: orientationMode, mirrorMode: mirrorMode)
    }
}

/// A view for a user's video. It has no effect: a plugin has no window.
public final class AgoraRtcVideoCanvas: NSObject {
    /// The view.
    public var view: UIView?
    /// The user; 0 is the app.
    public var uid: UInt = 0
    /// The way that video fills the view.
    public var renderMode = AgoraVideoRenderMode.hidden
    /// Whether it is mirrored.
    public var mirrorMode = AgoraVideoMirrorMode.auto

    /// Makes a canvas without a view.
    public override init() {}
}

extension AgoraRtcEngineKit {
    /// Has no effect: each output of the session chooses its size and rate.
    @discardableResult
    public func setVideoEncoderConfiguration(_ config: AgoraVideoEncoderConfiguration) -> Int32 {
        VendorHost.explain(
            "setVideoEncoderConfiguration", "each output of the session chooses its size and rate")
        return 0
    }

    /// Has no effect: a plugin has no window.
    @discardableResult
    public func setupLocalVideo(_ local: AgoraRtcVideoCanvas?) -> Int32 {
        VendorHost.explain("setupLocalVideo", "a plugin has no window")
        return 0
    }

    /// Has no effect: a plugin has no window.
    @discardableResult
    public func setupRemoteVideo(_ remote: AgoraRtcVideoCanvas) -> Int32 {
        VendorHost.explain("setupRemoteVideo", "a plugin has no window")
        return 0
    }
}

/// The numbers of the app's audio, which are never reported: the session's report has the microphone's.
public final class AgoraRtcLocalAudioStats: NSObject {
    /// One or two.
    public let numChannels: UInt = 0
    /// In Hz.
    public let sentSampleRate: UInt = 0
    /// In kbit/s.
    public let sentBitrate: UInt = 0
}

/// The numbers of a user's audio, which are never reported.
public final class AgoraRtcRemoteAudioStats: NSObject {
    /// The user.
    public let uid: UInt = 0
    /// One or two.
    public let numChannels: UInt = 0
    /// In Hz.
    public let receivedSampleRate: UInt = 0
    /// In kbit/s.
    public let receivedBitrate: UInt = 0
}

/// The numbers of a user's video in the last two seconds.
public final class AgoraRtcRemoteVideoStats: NSObject {
    /// The user.
    public let uid: UInt
    /// The last frame's size, in pixels.
    public let width: UInt
    /// The last frame's size, in pixels.
    public let height: UInt
    /// The frames per second that the app received.
    public let receivedFrameRate: UInt
    /// As `receivedFrameRate`.
    public var decoderOutputFrameRate: UInt { receivedFrameRate }
    /// As `receivedFrameRate`.
    public var rendererOutputFrameRate: UInt { receivedFrameRate }
    /// 0: a plugin receives frames, not bits.
    public let receivedBitrate: UInt = 0

    init(uid: UInt, width: Int32, height: Int32, frameRate: Int64) {
        self.uid = uid
        self.width = UInt(clamping: width)
        self.height = UInt(clamping: height)
        receivedFrameRate = UInt(clamping: frameRate)
    }
}

/// Counts the frames of users, for their statistics.
struct AgoraVideoCounts {
    /// The SDK reports each two seconds.
    private static let interval: Int64 = 2000

    private var users: [UInt: (frames: Int64, since: Int64)] = [:]

    /// Counts a frame.
    ///
    /// - Returns: The user's statistics, each two seconds.
    mutating func add(_ frame: AgoraOutputVideoFrame, of uid: UInt) -> AgoraRtcRemoteVideoStats? {
        let now = frame.renderTimeMs
        guard let (frames, since) = users[uid], now >= since else {
            users[uid] = (1, now)
            return nil
        }
        guard now - since >= Self.interval else {
            users[uid] = (frames + 1, since)
            return nil
        }
        users[uid] = (1, now)
        return AgoraRtcRemoteVideoStats(
            uid: uid, width: frame.width, height: frame.height,
            frameRate: (frames * 2000 / (now - since) + 1) / 2)
    }

    /// Forgets a user who has left.
    mutating func remove(_ uid: UInt) { users[uid] = nil }
}
