import AppleMediaStyle

/// The sources of an app, which it sets before it joins. A session file takes the place of names,
/// passwords and tokens.
public final class ZoomVideoSDKSessionContext: NSObject {
    /// The source of the camera.
    public var externalVideoSourceDelegate: (any ZoomVideoSDKVideoSource)?
    /// The filter of the camera.
    public var preProcessorDelegate: (any ZoomVideoSDKVideoSourcePreProcessor)?
    /// The source of the microphone.
    public var virtualAudioMicDelegate: (any ZoomVideoSDKVirtualAudioMic)?
    /// Plays the audio of the participants.
    public var virtualAudioSpeakerDelegate: (any ZoomVideoSDKVirtualAudioSpeaker)?
    /// The source of the share, which `startSharingExternalSource` names.
    var shareSource: (any ZoomVideoSDKShareSource)?

    /// Has no effect.
    public var token: String? { didSet { explain("token") } }
    /// Has no effect.
    public var sessionName: String? { didSet { explain("sessionName") } }
    /// Has no effect.
    public var sessionPassword: String? { didSet { explain("sessionPassword") } }
    /// The name of `getMySelf`.
    public var userName: String?

    private func explain(_ name: String) {
        VendorHost.explain(
            "ZoomVideoSDKSessionContext.\(name)", "a session file takes the place of meetings")
    }
}

/// An app's parameters for preparing the SDK.
public final class ZoomVideoSDKInitParams: NSObject {
    /// Has no effect.
    public var domain: String?
    /// Has no effect.
    public var enableLog = false
}

/// The SDK's one object.
public final class ZoomVideoSDK: NSObject, @unchecked Sendable {
    private static let shared = ZoomVideoSDK()
    /// The context of the plugin that is being made, on the main queue.
    static nonisolated(unsafe) var context: ZoomVideoSDKSessionContext?

    private let lock = NSLock()
    private weak var listener: (any ZoomVideoSDKDelegate)?

    /// Gets the events of a session that a `ZoomReceiver` receives.
    public var delegate: (any ZoomVideoSDKDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    /// The SDK.
    public static func shareInstance() -> ZoomVideoSDK? { shared }

    /// Has no effect.
    @discardableResult
    public func initialize(_ params: ZoomVideoSDKInitParams) -> ZoomVideoSDKError {
        .Errors_Success
    }

    /// Takes the sources of a context over.
    @discardableResult
    public func joinSession(_ context: ZoomVideoSDKSessionContext) -> ZoomVideoSDKSession? {
        if let joining = Self.context {
            joining.externalVideoSourceDelegate = context.externalVideoSourceDelegate
            joining.preProcessorDelegate = context.preProcessorDelegate
            joining.virtualAudioMicDelegate = context.virtualAudioMicDelegate
            joining.virtualAudioSpeakerDelegate = context.virtualAudioSpeakerDelegate
            joining.userName = context.userName
        }
        return ZoomVideoSDKSession(ZoomRoom.current)
    }

    /// Has no effect.
    @discardableResult
    public func leaveSession(_ end: Bool) -> ZoomVideoSDKError {
        VendorHost.explain("leaveSession", "the session ends as its file or `stop` says")
        return .Errors_Success
    }

    /// Starts shares.
    public func getShareHelper() -> ZoomVideoSDKShareHelper? { ZoomVideoSDKShareHelper() }
    /// The audio of the session.
    public func getAudioHelper() -> ZoomVideoSDKAudioHelper? {
        ZoomRoom.current?.audioHelper ?? ZoomVideoSDKAudioHelper(nil)
    }
    /// Has no effect.
    public func getVideoHelper() -> ZoomVideoSDKVideoHelper? { ZoomVideoSDKVideoHelper() }
    /// Has no effect.
    public func getUserHelper() -> ZoomVideoSDKUserHelper? { ZoomVideoSDKUserHelper() }
    /// The session that a `ZoomReceiver` receives; nil without one.
    public func getSession() -> ZoomVideoSDKSession? {
        ZoomRoom.current.map { ZoomVideoSDKSession($0) }
    }
    /// Whether a `ZoomReceiver` runs.
    public func isInSession() -> Bool { ZoomRoom.current != nil }
}

/// A session that was joined.
public final class ZoomVideoSDKSession: NSObject {
    private let room: ZoomRoom?

    init(_ room: ZoomRoom?) { self.room = room }

    /// The session itself, with its camera and share.
    public func getMySelf() -> ZoomVideoSDKUser? { room?.myself }
    /// The participants of the session's call.
    public func getRemoteUsers() -> [ZoomVideoSDKUser]? { room?.remoteUsers }
}

/// Starts shares.
public final class ZoomVideoSDKShareHelper: NSObject {
    /// Registers the source of a share, while a plugin is made. The session starts and stops it.
    @discardableResult
    public func startSharingExternalSource(
        _ shareSource: any ZoomVideoSDKShareSource, andAudioSource: AnyObject?, isPlaying: Bool
    ) -> ZoomVideoSDKError {
        if andAudioSource != nil {
            VendorHost.explain("andAudioSource", "name a plugin under `audio` of the share")
        }
        guard let context = ZoomVideoSDK.context else { return .Errors_Wrong_Usage }
        context.shareSource = shareSource
        return .Errors_Success
    }

    /// Has no effect.
    @discardableResult
    public func stopShare() -> ZoomVideoSDKError {
        VendorHost.explain("stopShare", "`pause share` stops a share")
        return .Errors_Success
    }
}
