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
    /// The source of the share, which `startSharingExternalSource` names.
    var shareSource: (any ZoomVideoSDKShareSource)?

    /// Has no effect.
    public var token: String? { didSet { explain("token") } }
    /// Has no effect.
    public var sessionName: String? { didSet { explain("sessionName") } }
    /// Has no effect.
    public var sessionPassword: String? { didSet { explain("sessionPassword") } }
    /// Has no effect.
    public var userName: String? { didSet { explain("userName") } }

    private func explain(_ name: String) {
        VendorHost.explain(
            "ZoomVideoSDKSessionContext.\(name)", "a session file takes the place of meetings")
    }
}

/// How an app prepares the SDK.
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
        }
        return ZoomVideoSDKSession()
    }

    /// Has no effect.
    @discardableResult
    public func leaveSession(_ end: Bool) -> ZoomVideoSDKError {
        VendorHost.explain("leaveSession", "the session ends as its file or `stop` says")
        return .Errors_Success
    }

    /// Starts shares.
    public func getShareHelper() -> ZoomVideoSDKShareHelper? { ZoomVideoSDKShareHelper() }
}

/// A session that was joined.
public final class ZoomVideoSDKSession: NSObject {}

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
