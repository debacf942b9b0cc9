@_exported import AppleMediaStyle

/// A frame of the app.
public final class AgoraVideoFrame: NSObject {
    /// 12 for a pixel buffer, which is what this layer takes.
    public var format = 12
    /// When it shows, on the clock of `CACurrentMediaTime`.
    public var time = CMTime(value: 0, timescale: 1000)
    /// The pixels.
    public var textureBuf: CVPixelBuffer?
    /// Degrees clockwise to see it upright: 0, 90, 180 or 270.
    public var rotation: Int32 = 0

    /// Makes a frame without pixels.
    public override init() {}
}

/// Hears of the engine, on the main queue. An app and its extension are one library here, so the app's
/// delegate hears of the extension's user.
public protocol AgoraRtcEngineDelegate: AnyObject {
    /// A user has joined the channel.
    func rtcEngine(_ engine: AgoraRtcEngineKit, didJoinedOfUid uid: UInt, elapsed: Int)
}

/// The engine, whose channel is the session: an extension joins it as a participant.
public final class AgoraRtcEngineKit: NSObject, @unchecked Sendable {
    static let shared = AgoraRtcEngineKit()
    private let lock = NSLock()
    private weak var delegate: (any AgoraRtcEngineDelegate)?

    /// The code of an API for a call that is not possible now.
    private static let notReady: Int32 = -3

    /// The engine. The last delegate that is not nil counts.
    public static func sharedEngine(
        withAppId appId: String, delegate: (any AgoraRtcEngineDelegate)?
    ) -> AgoraRtcEngineKit {
        VendorHost.explain("sharedEngine(withAppId:)", "a session file takes the place of accounts")
        if let delegate { shared.lock.withLock { shared.delegate = delegate } }
        return shared
    }

    /// Has no effect.
    @discardableResult public func enableVideo() -> Int32 { 0 }

    /// Has no effect: a source is always external and pushed.
    public func setExternalVideoSource(_ enable: Bool, useTexture: Bool, pushMode: Bool) {}

    /// Has no effect: a broadcast only sends.
    @discardableResult public func muteAllRemoteVideoStreams(_ mute: Bool) -> Int32 { 0 }

    /// Has no effect: a broadcast only sends.
    @discardableResult public func muteAllRemoteAudioStreams(_ mute: Bool) -> Int32 { 0 }

    /// Joins the session as a participant with the name of the channel.
    ///
    /// - Returns: 0, or a negative code.
    @discardableResult
    public func joinChannel(
        byToken token: String?, channelId: String, info: String?, uid: UInt,
        joinSuccess: ((String, UInt, Int) -> Void)?
    ) -> Int32 {
        if token != nil { VendorHost.explain("byToken", "a session needs no token") }
        guard let session = BroadcastSession.current else { return Self.notReady }
        do {
            try session.join(channelId)
        } catch {
            VendorHost.log(.error, "joinChannel: \(error)")
            return Self.notReady
        }
        joinSuccess?(channelId, uid, 0)
        let delegate = lock.withLock { self.delegate }
        MainQueue.run { delegate?.rtcEngine(self, didJoinedOfUid: uid, elapsed: 0) }
        return 0
    }

    /// Leaves the session.
    @discardableResult
    public func leaveChannel(_ leaveChannelBlock: ((NSObject) -> Void)? = nil) -> Int32 {
        BroadcastSession.current?.leave()
        leaveChannelBlock?(NSObject())
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
