@_exported import AppleMediaStyle

/// A frame of the app.
public final class AgoraVideoFrame: NSObject {
    /// 12 for a pixel buffer, which is what this layer takes.
    public var format = 12
    /// The frame's time on the clock of `CACurrentMediaTime`.
    public var time = CMTime(value: 0, timescale: 1000)
    /// The pixels.
    public var textureBuf: CVPixelBuffer?
    /// Degrees clockwise to see it upright: 0, 90, 180 or 270.
    public var rotation: Int32 = 0

    /// Makes a frame without pixels.
    public override init() {}
}

/// A code of an event that is never reported: the session's log has its errors.
public enum AgoraErrorCode: Int, Sendable, CustomStringConvertible {
    /// None.
    case noError

    /// The code.
    public var description: String { "\(rawValue)" }
}

/// A code of an event that is never reported.
public enum AgoraWarningCode: Int, Sendable, CustomStringConvertible {
    /// None.
    case noWarning

    /// The code.
    public var description: String { "\(rawValue)" }
}

/// The reason that a user has left.
public enum AgoraUserOfflineReason: UInt, Sendable {
    /// They left.
    case quit
    /// Not reported.
    case dropped
    /// Not reported.
    case becomeAudience
}

/// The loudness of a user, which is never reported.
public final class AgoraRtcAudioVolumeInfo: NSObject {
    /// The user.
    public let uid: UInt = 0
    /// 0 to 255.
    public let volume: UInt = 0
}

/// The numbers of a call.
public final class AgoraChannelStats: NSObject {
    /// Seconds in the channel.
    public let duration: Int

    init(duration: Int) { self.duration = duration }
}

/// Hears of the engine, on the main queue. An app and its extension are one library here, so the app's
/// delegate hears of the extension's user. Each function has a default that does nothing.
public protocol AgoraRtcEngineDelegate: AnyObject {
    /// The app has joined.
    func rtcEngine(
        _ engine: AgoraRtcEngineKit, didJoinChannel channel: String, withUid uid: UInt, elapsed: Int
    )
    /// A user has joined the channel: a participant of the session's call.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didJoinedOfUid uid: UInt, elapsed: Int)
    /// A user has left.
    func rtcEngine(
        _ engine: AgoraRtcEngineKit, didOfflineOfUid uid: UInt, reason: AgoraUserOfflineReason)
    /// The app has left.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didLeaveChannelWith stats: AgoraChannelStats)
    /// A user sends video, or has stopped.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didVideoMuted muted: Bool, byUid uid: UInt)
    /// A user sends audio, or has stopped.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didAudioMuted muted: Bool, byUid uid: UInt)
    /// The numbers of a user's video, each two seconds, if the engine has a delegate of video frames.
    func rtcEngine(_ engine: AgoraRtcEngineKit, remoteVideoStats stats: AgoraRtcRemoteVideoStats)
    /// Never called.
    func rtcEngine(_ engine: AgoraRtcEngineKit, remoteAudioStats stats: AgoraRtcRemoteAudioStats)
    /// Never called.
    func rtcEngine(_ engine: AgoraRtcEngineKit, localAudioStats stats: AgoraRtcLocalAudioStats)
    /// Never called.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didOccurError errorCode: AgoraErrorCode)
    /// Never called.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didOccurWarning warningCode: AgoraWarningCode)
    /// Never called.
    func rtcEngine(
        _ engine: AgoraRtcEngineKit, audioMetadataReceived uid: UInt, metadata: Data)
    /// Never called.
    func rtcEngine(
        _ engine: AgoraRtcEngineKit,
        reportAudioVolumeIndicationOfSpeakers speakers: [AgoraRtcAudioVolumeInfo],
        totalVolume: Int)
}

extension AgoraRtcEngineDelegate {
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, didJoinChannel channel: String, withUid uid: UInt, elapsed: Int
    ) {}
    /// Does nothing.
    public func rtcEngine(_ engine: AgoraRtcEngineKit, didJoinedOfUid uid: UInt, elapsed: Int) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, didOfflineOfUid uid: UInt, reason: AgoraUserOfflineReason
    ) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, didLeaveChannelWith stats: AgoraChannelStats
    ) {}
    /// Does nothing.
    public func rtcEngine(_ engine: AgoraRtcEngineKit, didVideoMuted muted: Bool, byUid uid: UInt) {
    }
    /// Does nothing.
    public func rtcEngine(_ engine: AgoraRtcEngineKit, didAudioMuted muted: Bool, byUid uid: UInt) {
    }
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, remoteVideoStats stats: AgoraRtcRemoteVideoStats
    ) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, remoteAudioStats stats: AgoraRtcRemoteAudioStats
    ) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, localAudioStats stats: AgoraRtcLocalAudioStats
    ) {}
    /// Does nothing.
    public func rtcEngine(_ engine: AgoraRtcEngineKit, didOccurError errorCode: AgoraErrorCode) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, didOccurWarning warningCode: AgoraWarningCode
    ) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit, audioMetadataReceived uid: UInt, metadata: Data
    ) {}
    /// Does nothing.
    public func rtcEngine(
        _ engine: AgoraRtcEngineKit,
        reportAudioVolumeIndicationOfSpeakers speakers: [AgoraRtcAudioVolumeInfo],
        totalVolume: Int
    ) {}
}

/// The kind of a channel; it has no effect.
public enum AgoraChannelProfile: Int, Sendable {
    /// A call.
    case communication
    /// A broadcast.
    case liveBroadcasting
}

/// The role of an app in a channel; it has no effect.
public enum AgoraClientRole: Int, Sendable {
    /// It sends.
    case broadcaster = 1
    /// It only receives.
    case audience
}

/// The processing of audio; it has no effect.
public enum AgoraAudioScenario: Int, Sendable {
    /// As usual.
    case `default` = 0
    /// For games.
    case gameStreaming = 3
    /// For singing.
    case chorus = 7
    /// For meetings.
    case meeting = 8
}

/// The configuration of the engine; it has no effect.
public final class AgoraRtcEngineConfig: NSObject {
    /// Has no effect.
    public var appId: String?
    /// Has no effect.
    public var channelProfile = AgoraChannelProfile.communication
    /// Has no effect.
    public var audioScenario = AgoraAudioScenario.default

    /// Makes a configuration.
    public override init() {}
}

/// The options of joining; they have no effect, because the session file says what is sent and received.
public final class AgoraRtcChannelMediaOptions: NSObject {
    /// Has no effect.
    public var clientRoleType = AgoraClientRole.broadcaster
    /// Has no effect.
    public var channelProfile = AgoraChannelProfile.liveBroadcasting
    /// Has no effect.
    public var publishCameraTrack = false
    /// Has no effect.
    public var publishMicrophoneTrack = false
    /// Has no effect.
    public var autoSubscribeAudio = true
    /// Has no effect.
    public var autoSubscribeVideo = true

    /// Makes options.
    public override init() {}
}

/// The engine, whose channel is the session: an extension joins it as a participant, a receiver hears its
/// participants.
public final class AgoraRtcEngineKit: NSObject, @unchecked Sendable {
    static let shared = AgoraRtcEngineKit()
    private let lock = NSLock()
    private weak var listener: (any AgoraRtcEngineDelegate)?
    private weak var audioListener: (any AgoraAudioFrameDelegate)?
    private weak var videoListener: (any AgoraVideoFrameDelegate)?
    private var parameters: [UInt: AgoraAudioParams] = [:]

    /// The code of an API for a call that is not possible now.
    private static let notReady: Int32 = -3

    /// The engine. The last delegate that is not nil counts.
    public static func sharedEngine(
        withAppId appId: String, delegate: (any AgoraRtcEngineDelegate)?
    ) -> AgoraRtcEngineKit {
        VendorHost.explain("sharedEngine(withAppId:)", "a session file takes the place of accounts")
        if let delegate { shared.delegate = delegate }
        return shared
    }

    /// The engine. The last delegate that is not nil counts.
    public static func sharedEngine(
        with config: AgoraRtcEngineConfig, delegate: (any AgoraRtcEngineDelegate)?
    ) -> AgoraRtcEngineKit { sharedEngine(withAppId: "", delegate: delegate) }

    /// Leaves the session.
    public static func destroy() { shared.leaveChannel() }

    /// Hears of the engine.
    public var delegate: (any AgoraRtcEngineDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    /// Has no effect.
    @discardableResult public func enableVideo() -> Int32 { 0 }
    /// Has no effect.
    @discardableResult public func disableVideo() -> Int32 { 0 }
    /// Has no effect.
    @discardableResult public func enableAudio() -> Int32 { 0 }
    /// Has no effect.
    @discardableResult public func disableAudio() -> Int32 { 0 }
    /// Has no effect: the session's microphone is muted by the session.
    @discardableResult public func enableLocalAudio(_ enabled: Bool) -> Int32 { 0 }
    /// Has no effect: the session's microphone is muted by the session.
    @discardableResult public func muteLocalAudioStream(_ mute: Bool) -> Int32 { 0 }
    /// Has no effect.
    @discardableResult public func setClientRole(_ role: AgoraClientRole) -> Int32 { 0 }
    /// Has no effect.
    @discardableResult public func setParameters(_ options: String) -> Int32 { 0 }
    /// Has no effect: a plugin has no window.
    @discardableResult public func startPreview() -> Int32 { 0 }
    /// Has no effect: a plugin has no window.
    @discardableResult public func stopPreview() -> Int32 { 0 }
    /// Has no effect: a plugin has no loudspeaker.
    @discardableResult
    public func setDefaultAudioRouteToSpeakerphone(_ defaultToSpeaker: Bool) -> Int32 { 0 }

    /// Has no effect: a session has no channel for data.
    @discardableResult public func sendAudioMetadata(_ metadata: Data) -> Int32 {
        VendorHost.explain("sendAudioMetadata", "a session has no channel for data")
        return Self.notReady
    }

    /// Has no effect: a source is always external and pushed.
    public func setExternalVideoSource(_ enable: Bool, useTexture: Bool, pushMode: Bool) {}

    /// Has no effect: an app receives what its delegates take.
    @discardableResult public func muteAllRemoteVideoStreams(_ mute: Bool) -> Int32 { 0 }

    /// Has no effect: an app receives what its delegates take.
    @discardableResult public func muteAllRemoteAudioStreams(_ mute: Bool) -> Int32 { 0 }

    /// Sets who gets audio; nil for nobody.
    @discardableResult
    public func setAudioFrameDelegate(_ delegate: (any AgoraAudioFrameDelegate)?) -> Bool {
        lock.withLock { audioListener = delegate }
        AgoraChannel.current?.wantsChanged()
        return true
    }

    /// Sets who gets video; nil for nobody.
    @discardableResult
    public func setVideoFrameDelegate(_ delegate: (any AgoraVideoFrameDelegate)?) -> Bool {
        lock.withLock { videoListener = delegate }
        AgoraChannel.current?.wantsChanged()
        return true
    }

    var audioDelegate: (any AgoraAudioFrameDelegate)? { lock.withLock { audioListener } }
    var videoDelegate: (any AgoraVideoFrameDelegate)? { lock.withLock { videoListener } }

    /// Sets the format of `onRecordAudioFrame`, unless the delegate has it.
    @discardableResult
    public func setRecordingAudioFrameParametersWithSampleRate(
        _ sampleRate: Int, channel: Int, mode: AgoraAudioRawFrameOperationMode, samplesPerCall: Int
    ) -> Int32 { set(.record, sampleRate, channel, mode, samplesPerCall) }

    /// Sets the format of `onPlaybackAudioFrame`, unless the delegate has it.
    @discardableResult
    public func setPlaybackAudioFrameParametersWithSampleRate(
        _ sampleRate: Int, channel: Int, mode: AgoraAudioRawFrameOperationMode, samplesPerCall: Int
    ) -> Int32 { set(.playback, sampleRate, channel, mode, samplesPerCall) }

    /// Sets the format of `onMixedAudioFrame`, unless the delegate has it.
    @discardableResult
    public func setMixedAudioFrameParametersWithSampleRate(
        _ sampleRate: Int, channel: Int, samplesPerCall: Int
    ) -> Int32 { set(.mixed, sampleRate, channel, .readOnly, samplesPerCall) }

    /// Sets the format of the audio of each user.
    @discardableResult
    public func setPlaybackAudioFrameBeforeMixingParametersWithSampleRate(
        _ sampleRate: Int, channel: Int
    ) -> Int32 { set(.beforeMixing, sampleRate, channel, .readOnly, sampleRate * channel / 100) }

    private func set(
        _ position: AgoraAudioFramePosition, _ sampleRate: Int, _ channel: Int,
        _ mode: AgoraAudioRawFrameOperationMode, _ samplesPerCall: Int
    ) -> Int32 {
        let params = AgoraAudioParams()
        (params.sampleRate, params.channel) = (sampleRate, channel)
        (params.mode, params.samplesPerCall) = (mode, samplesPerCall)
        lock.withLock { parameters[position.rawValue] = params }
        AgoraChannel.current?.wantsChanged()
        return 0
    }

    /// The format that was set for a position; the usual one without.
    func params(for position: AgoraAudioFramePosition) -> AgoraAudioParams {
        lock.withLock { parameters[position.rawValue] } ?? AgoraAudioParams()
    }

    /// Joins the session: an extension as a participant with the name of the channel, a receiver to hear its
    /// participants.
    ///
    /// - Returns: 0, or a negative code.
    @discardableResult
    public func joinChannel(
        byToken token: String?, channelId: String, info: String?, uid: UInt,
        joinSuccess: ((String, UInt, Int) -> Void)? = nil
    ) -> Int32 {
        if token != nil { VendorHost.explain("byToken", "a session needs no token") }
        if let channel = AgoraChannel.current {
            joinSuccess?(channelId, uid, 0)
            channel.join(channelId, uid)
            return 0
        }
        guard let session = BroadcastSession.current else { return Self.notReady }
        do {
            try session.join(channelId)
        } catch {
            VendorHost.log(.error, "joinChannel: \(error)")
            return Self.notReady
        }
        joinSuccess?(channelId, uid, 0)
        let delegate = delegate
        MainQueue.run { delegate?.rtcEngine(self, didJoinedOfUid: uid, elapsed: 0) }
        return 0
    }

    /// Joins the session.
    ///
    /// - Returns: 0, or a negative code.
    @discardableResult
    public func joinChannel(
        byToken token: String?, channelId: String, uid: UInt,
        mediaOptions: AgoraRtcChannelMediaOptions,
        joinSuccess: ((String, UInt, Int) -> Void)? = nil
    ) -> Int32 {
        joinChannel(
            byToken: token, channelId: channelId, info: nil, uid: uid, joinSuccess: joinSuccess)
    }

    /// Leaves the session.
    @discardableResult
    public func leaveChannel(
        _ leaveChannelBlock: ((AgoraChannelStats) -> Void)? = nil
    ) -> Int32 {
        let duration = AgoraChannel.current?.leave() ?? 0
        BroadcastSession.current?.leave()
        leaveChannelBlock?(AgoraChannelStats(duration: duration))
        return 0
    }

    /// Sends a frame, from any thread.
    ///
    /// - Returns: Whether the session took it.
    @discardableResult
    public func pushExternalVideoFrame(_ frame: AgoraVideoFrame) -> Bool {
        guard let buffer = frame.textureBuf,
            let rotation = Rotation(rawValue: UInt32(clamping: frame.rotation))
        else { return false }
        return PushedFrames.send(
            buffer, rotation: rotation, ptsNanoseconds: frame.time.nanoseconds, joiningAs: nil)
            == nil
    }
}
