// The names are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
import AppleMediaStyle

/// The places where audio is observed.
public struct AgoraAudioFramePosition: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt
    /// Makes flags.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The sum of all users: the track `incoming`.
    public static let playback = Self(rawValue: 1)
    /// The session's microphone.
    public static let record = Self(rawValue: 2)
    /// The sum of all users and of the session: the track `full-mix`.
    public static let mixed = Self(rawValue: 4)
    /// Each user.
    public static let beforeMixing = Self(rawValue: 8)
    /// Nothing: a plugin has no earphones.
    public static let earMonitoring = Self(rawValue: 16)
}

/// The use of audio. An app receives a copy: edits have no effect.
public enum AgoraAudioRawFrameOperationMode: Int, Sendable {
    /// It reads.
    case readOnly = 0
    /// It reads; to edit audio, write an `AudioPreProcessor`.
    case readWrite = 2
}

/// The format of observed audio.
public final class AgoraAudioParams: NSObject, @unchecked Sendable {
    /// In Hz.
    public var sampleRate = 16_000
    /// One or two.
    public var channel = 1
    /// Has no effect.
    public var mode = AgoraAudioRawFrameOperationMode.readOnly
    /// The samples of all channels in a call; 10 to 100 ms.
    public var samplesPerCall = 1024

    /// 16000 Hz, mono, 1024 samples.
    public override init() {}

    var want: TrackWant {
        let frames = samplesPerCall / max(channel, 1)
        let blockFrames = min(max(frames, sampleRate / 100), sampleRate / 10)
        return .audio(
            AudioTrackWant(
                format: AudioFormat(sampleRate: sampleRate, channels: channel),
                blockFrames: blockFrames))
    }
}

/// A block of audio.
public final class AgoraAudioFrame: NSObject, @unchecked Sendable {
    /// Samples of each channel.
    public let samplesPerChannel: Int
    /// Two.
    public let bytesPerSample = 2
    /// One or two.
    public let channels: Int
    /// In Hz.
    public let samplesPerSec: Int
    /// The samples, interleaved.
    public var buffer: UnsafeMutableRawPointer? { memory.bytes.baseAddress }
    /// Milliseconds on the session's clock.
    public let renderTimeMs: Int64
    /// Milliseconds on the session's clock.
    public var presentationMs: Int64 { renderTimeMs }
    /// 0.
    public let avSyncType = 0

    private let memory: PackedMedia

    init(_ block: borrowing OutputBlock) {
        samplesPerChannel = block.frameCount
        channels = block.format.channels
        samplesPerSec = block.format.sampleRate
        renderTimeMs = block.timeNanoseconds / 1_000_000
        memory = PackedMedia(block)
    }
}

/// Gets audio, on the host's media thread. The results have no effect. Each function has a default.
public protocol AgoraAudioFrameDelegate: AnyObject {
    /// Gets the session's microphone.
    func onRecordAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool
    /// Gets the sum of all users.
    func onPlaybackAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool
    /// Gets the sum of all users and of the session.
    func onMixedAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool
    /// Never called.
    func onEarMonitoringAudioFrame(_ frame: AgoraAudioFrame) -> Bool
    /// Gets a user's audio.
    func onPlaybackAudioFrame(
        beforeMixing frame: AgoraAudioFrame, channelId: String, uid: UInt
    ) -> Bool
    /// The observed places: by default `playback` and `record`.
    func getObservedAudioFramePosition() -> AgoraAudioFramePosition
    /// The format of `onRecordAudioFrame`.
    func getRecordAudioParams() -> AgoraAudioParams
    /// The format of `onPlaybackAudioFrame`.
    func getPlaybackAudioParams() -> AgoraAudioParams
    /// The format of `onMixedAudioFrame`.
    func getMixedAudioParams() -> AgoraAudioParams
    /// Never called.
    func getEarMonitoringAudioParams() -> AgoraAudioParams
}

extension AgoraAudioFrameDelegate {
    /// Does nothing.
    public func onRecordAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool { true }
    /// Does nothing.
    public func onPlaybackAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool { true }
    /// Does nothing.
    public func onMixedAudioFrame(_ frame: AgoraAudioFrame, channelId: String) -> Bool { true }
    /// Does nothing.
    public func onEarMonitoringAudioFrame(_ frame: AgoraAudioFrame) -> Bool { true }
    /// Does nothing.
    public func onPlaybackAudioFrame(
        beforeMixing frame: AgoraAudioFrame, channelId: String, uid: UInt
    ) -> Bool { true }
    /// `playback` and `record`.
    public func getObservedAudioFramePosition() -> AgoraAudioFramePosition { [.playback, .record] }
    /// The engine's.
    public func getRecordAudioParams() -> AgoraAudioParams {
        AgoraRtcEngineKit.shared.params(for: .record)
    }
    /// The engine's.
    public func getPlaybackAudioParams() -> AgoraAudioParams {
        AgoraRtcEngineKit.shared.params(for: .playback)
    }
    /// The engine's.
    public func getMixedAudioParams() -> AgoraAudioParams {
        AgoraRtcEngineKit.shared.params(for: .mixed)
    }
    /// Never called.
    public func getEarMonitoringAudioParams() -> AgoraAudioParams { AgoraAudioParams() }
}

/// The layout of a received frame.
public enum AgoraVideoFormat: UInt, Sendable {
    /// `I420`.
    case `default` = 0
    /// Y, U and V.
    case I420 = 1
    /// A pixel buffer of NV12.
    case cvPixelNV12 = 12
    /// A pixel buffer of BGRA.
    case cvPixelBGRA = 14
}

/// The use of frames. An app receives a copy: edits have no effect.
public enum AgoraVideoFrameProcessMode: UInt, Sendable {
    /// It reads.
    case readOnly
    /// It reads; to edit frames, write a `VideoSourcePreProcessor`.
    case readWrite
}

/// The source of frames.
public enum AgoraVideoSourceType: UInt, Sendable {
    /// The session's camera.
    case camera
    /// The session's share.
    case screen = 2
}

/// A received frame, upright.
public final class AgoraOutputVideoFrame: NSObject, @unchecked Sendable {
    /// 1 for planes, 12 for a pixel buffer.
    public let type: Int
    /// In pixels.
    public let width: Int32
    /// In pixels.
    public let height: Int32
    /// Bytes from a row of Y to the next.
    public var yStride: Int32 { width }
    /// Bytes from a row of U to the next.
    public var uStride: Int32 { (width + 1) / 2 }
    /// Bytes from a row of V to the next.
    public var vStride: Int32 { (width + 1) / 2 }
    /// Y; nil for a pixel buffer.
    public var yBuffer: UnsafeMutablePointer<UInt8>? { planes?.plane(0, as: UInt8.self) }
    /// U; nil for a pixel buffer.
    public var uBuffer: UnsafeMutablePointer<UInt8>? { planes?.plane(1, as: UInt8.self) }
    /// V; nil for a pixel buffer.
    public var vBuffer: UnsafeMutablePointer<UInt8>? { planes?.plane(2, as: UInt8.self) }
    /// The pixels; nil for planes.
    public let pixelBuffer: CVPixelBuffer?
    /// 0: frames are upright.
    public let rotation: Int32 = 0
    /// Milliseconds on the session's clock.
    public let renderTimeMs: Int64

    private let planes: PackedMedia?

    init(_ frame: borrowing OutputFrame) {
        width = Int32(clamping: frame.width)
        height = Int32(clamping: frame.height)
        renderTimeMs = frame.timeNanoseconds / 1_000_000
        pixelBuffer = CVPixelBuffer(copying: frame)
        planes = pixelBuffer == nil ? PackedMedia(frame) : nil
        type = pixelBuffer == nil ? 1 : 12
    }
}

/// Gets video, on the host's media thread. The results have no effect. Each function has a default.
public protocol AgoraVideoFrameDelegate: AnyObject {
    /// Gets the session's camera and share.
    func onCapture(_ videoFrame: AgoraOutputVideoFrame, sourceType: AgoraVideoSourceType) -> Bool
    /// Gets a user's camera, or their share if they have no camera.
    func onRenderVideoFrame(
        _ videoFrame: AgoraOutputVideoFrame, uid: UInt, channelId: String
    ) -> Bool
    /// Has no effect.
    func getVideoFrameProcessMode() -> AgoraVideoFrameProcessMode
    /// The layout of the frames.
    func getVideoFormatPreference() -> AgoraVideoFormat
    /// Has no effect: frames are upright.
    func getRotationApplied() -> Bool
    /// Has no effect: frames are not mirrored.
    func getMirrorApplied() -> Bool
}

extension AgoraVideoFrameDelegate {
    /// Does nothing.
    public func onCapture(
        _ videoFrame: AgoraOutputVideoFrame, sourceType: AgoraVideoSourceType
    ) -> Bool { true }
    /// Does nothing.
    public func onRenderVideoFrame(
        _ videoFrame: AgoraOutputVideoFrame, uid: UInt, channelId: String
    ) -> Bool { true }
    /// `readOnly`.
    public func getVideoFrameProcessMode() -> AgoraVideoFrameProcessMode { .readOnly }
    /// Planes.
    public func getVideoFormatPreference() -> AgoraVideoFormat { .default }
    /// Frames are upright.
    public func getRotationApplied() -> Bool { true }
    /// Frames are not mirrored.
    public func getMirrorApplied() -> Bool { false }
}

/// The channel that a receiver is in. A library has one at a time.
final class AgoraChannel: PeopleListener, @unchecked Sendable {
    private static let lock = NSLock()
    nonisolated(unsafe) private static weak var newest: AgoraChannel?

    /// The channel of the receiver that runs.
    static var current: AgoraChannel? { lock.withLock { newest } }

    private let host: PluginHost
    private let engine = AgoraRtcEngineKit.shared
    private let lock = NSLock()
    private var name = ""
    private var since: Int64?
    private var users: [UInt] = []
    private var counts = AgoraVideoCounts()

    init(_ host: PluginHost) {
        self.host = host
        Self.lock.withLock { Self.newest = self }
    }

    func wantsChanged() { _ = host.wantsChanged() }

    func join(_ channel: String, _ uid: UInt) {
        let users = lock.withLock {
            (name, since) = (channel, host.nowNanoseconds)
            return self.users
        }
        wantsChanged()
        guard let delegate = engine.delegate else { return }
        MainQueue.run {
            delegate.rtcEngine(engine, didJoinChannel: channel, withUid: uid, elapsed: 0)
            for user in users { delegate.rtcEngine(engine, didJoinedOfUid: user, elapsed: 0) }
        }
    }

    /// Leaves, and returns how long the app was there, in seconds.
    func leave() -> Int {
        let since = lock.withLock {
            defer { self.since = nil }
            return self.since
        }
        guard let since else { return 0 }
        let duration = Int((host.nowNanoseconds - since) / 1_000_000_000)
        wantsChanged()
        let delegate = engine.delegate
        MainQueue.run {
            delegate?.rtcEngine(engine, didLeaveChannelWith: AgoraChannelStats(duration: duration))
        }
        return duration
    }

    /// The channel that the app is in; nil if it is in none.
    private var channel: String? { lock.withLock { since == nil ? nil : name } }

    // MARK: People

    func joined(_ person: Track.Participant) {
        let uid = UInt(person.number)
        lock.withLock { users.append(uid) }
        guard channel != nil else { return }
        engine.delegate?.rtcEngine(engine, didJoinedOfUid: uid, elapsed: 0)
    }

    func left(_ person: Track.Participant) {
        let uid = UInt(person.number)
        lock.withLock {
            users.removeAll { $0 == uid }
            counts.remove(uid)
        }
        guard channel != nil else { return }
        engine.delegate?.rtcEngine(engine, didOfflineOfUid: uid, reason: .quit)
    }

    func opened(_ track: Track) { tell(track, isMuted: false) }
    func closed(_ track: Track) { tell(track, isMuted: true) }

    private func tell(_ track: Track, isMuted: Bool) {
        guard channel != nil, let number = track.participant?.number else { return }
        switch track.kind {
        case .camera:
            engine.delegate?.rtcEngine(engine, didVideoMuted: isMuted, byUid: UInt(number))
        case .microphone:
            engine.delegate?.rtcEngine(engine, didAudioMuted: isMuted, byUid: UInt(number))
        default: break
        }
    }

    // MARK: Media

    func want(of track: Track) -> TrackWant? {
        guard channel != nil else { return nil }
        if track.kind.isVideo { return videoWant(of: track) }
        guard let delegate = engine.audioDelegate, let position = Self.position(of: track),
            delegate.getObservedAudioFramePosition().contains(position)
        else { return nil }
        switch position {
        case .record: return delegate.getRecordAudioParams().want
        case .playback: return delegate.getPlaybackAudioParams().want
        case .mixed: return delegate.getMixedAudioParams().want
        default: return engine.params(for: position).want
        }
    }

    private func videoWant(of track: Track) -> TrackWant? {
        guard let delegate = engine.videoDelegate, track.kind != .stage else { return nil }
        let format: PixelFormat =
            switch delegate.getVideoFormatPreference() {
            case .default, .I420: .i420
            case .cvPixelNV12: .nv12
            case .cvPixelBGRA: .bgra
            }
        return .video(VideoTrackWant(format: format, matrix: .bt601))
    }

    private static func position(of track: Track) -> AgoraAudioFramePosition? {
        switch track.kind {
        case .microphone: track.participant == nil ? .record : .beforeMixing
        case .incoming: .playback
        case .fullMix: .mixed
        default: nil
        }
    }

    func receive(_ block: borrowing OutputBlock) {
        guard let delegate = engine.audioDelegate, let channel,
            let position = Self.position(of: block.track)
        else { return }
        let frame = AgoraAudioFrame(block)
        switch position {
        case .record: _ = delegate.onRecordAudioFrame(frame, channelId: channel)
        case .playback: _ = delegate.onPlaybackAudioFrame(frame, channelId: channel)
        case .mixed: _ = delegate.onMixedAudioFrame(frame, channelId: channel)
        default:
            _ = delegate.onPlaybackAudioFrame(
                beforeMixing: frame, channelId: channel,
                uid: UInt(block.track.participant?.number ?? 0))
        }
    }

    func receive(_ frame: borrowing OutputFrame) {
        guard let delegate = engine.videoDelegate, let channel, frame.content == .new else {
            return
        }
        let received = AgoraOutputVideoFrame(frame)
        if let number = frame.track.participant?.number {
            let uid = UInt(number)
            _ = delegate.onRenderVideoFrame(received, uid: uid, channelId: channel)
            guard let stats = lock.withLock({ counts.add(received, of: uid) }) else { return }
            let listener = engine.delegate
            MainQueue.run { listener?.rtcEngine(engine, remoteVideoStats: stats) }
        } else {
            _ = delegate.onCapture(
                received, sourceType: frame.track.kind == .share ? .screen : .camera)
        }
    }
}

/// The handler of Agora's broadcast extension: it joins the session as a participant, and sends the screen as their
/// share.
open class AgoraReplayKitHandler: RPBroadcastSampleHandler, @unchecked Sendable {
    open override func processSampleBuffer(
        _ sampleBuffer: CMSampleBuffer, with sampleBufferType: RPSampleBufferType
    ) {
        guard sampleBufferType == .video, let buffer = CMSampleBufferGetImageBuffer(sampleBuffer)
        else { return }
        let orientation = CMGetAttachment(
            sampleBuffer, key: RPVideoSampleOrientationKey, attachmentModeOut: nil)
        let rotation: Rotation =
            switch (orientation as? NSNumber).map({ $0.uint32Value }) {
            case CGImagePropertyOrientation.down.rawValue: .half
            case CGImagePropertyOrientation.left.rawValue: .quarter
            case CGImagePropertyOrientation.right.rawValue: .threeQuarters
            default: .none
            }
        _ = PushedFrames.send(
            buffer, rotation: rotation,
            ptsNanoseconds: CMSampleBufferGetPresentationTimeStamp(sampleBuffer).nanoseconds,
            joiningAs: "screen")
    }
}
