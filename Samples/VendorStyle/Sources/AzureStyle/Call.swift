import AppleMediaStyle

/// The state of a call.
public enum CallState: Int, Sendable {
    /// Not joined.
    case none
    /// Joined.
    case connected = 5
    /// Over.
    case disconnected = 8
}

/// The call, which is the session. Its name hides the SDK's `Call` from a file that imports this module
/// alone.
public final class Call: NSObject, @unchecked Sendable {
    var video: RawOutgoingVideoStream?
    var audio: RawOutgoingAudioStream?
    var incoming: RawIncomingAudioStream? { didSet { onIncoming?() } }
    /// Has the host ask again what the app takes.
    var onIncoming: (() -> Void)?
    /// Starts a stream that is attached while the session runs.
    var onStartVideo: ((RawOutgoingVideoStream) -> Void)?

    /// Hears of the call.
    public weak var delegate: (any CallDelegate)?
    /// Whether the session runs.
    public internal(set) var state = CallState.none
    /// The participants of the session's call.
    public internal(set) var remoteParticipants: [RemoteParticipant] = []

    override init() {}

    func set(_ state: CallState) {
        self.state = state
        delegate?.call(self, didChangeState: PropertyChangedEventArgs())
    }

    /// Attaches a stream. The session starts and stops it.
    public func startVideo(
        stream: OutgoingVideoStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        guard let stream = stream as? RawOutgoingVideoStream else {
            return completionHandler(RawMediaError(status: .unsupported))
        }
        MainQueue.run { attach(stream) }
        completionHandler(nil)
    }

    /// Attaches a stream. The session starts and stops it.
    public func startVideo(stream: OutgoingVideoStream) async throws {
        var failure: (any Error)?
        startVideo(stream: stream) { failure = $0 }
        if let failure { throw failure }
    }

    /// Detaches a stream.
    public func stopVideo(
        stream: OutgoingVideoStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        (stream as? RawOutgoingVideoStream)?.stop()
        MainQueue.run { if video === stream { video = nil } }
        completionHandler(nil)
    }

    /// Detaches a stream.
    public func stopVideo(stream: OutgoingVideoStream) async throws {
        stopVideo(stream: stream) { _ in }
    }

    /// Has no effect: the session ends as its file or `stop` says.
    public func hangUp(options: HangUpOptions?) async throws {
        VendorHost.explain("hangUp", "the session ends as its file or `stop` says")
    }

    /// Has no effect: `mute` of the session mutes its microphone.
    public func muteOutgoingAudio() async throws {
        VendorHost.explain("muteOutgoingAudio", "`mute` mutes the session's microphone")
    }

    /// Has no effect: a plugin plays nothing.
    public func muteIncomingAudio() async throws {}

    private func attach(_ stream: RawOutgoingVideoStream) {
        video = stream
        stream.change(.available)
        onStartVideo?(stream)
    }

    /// Attaches a stream. The session starts and stops it.
    public func startAudio(
        stream: RawOutgoingAudioStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        MainQueue.run { audio = stream }
        completionHandler(nil)
    }

    /// Attaches a stream. The session starts and stops it.
    public func startAudio(
        stream: RawIncomingAudioStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        MainQueue.run { incoming = stream }
        completionHandler(nil)
    }

    /// Detaches a stream.
    public func stopAudio(
        stream: RawOutgoingAudioStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        stream.stop()
        MainQueue.run { if audio === stream { audio = nil } }
        completionHandler(nil)
    }

    /// Takes over the streams of options.
    func take(_ options: CallOptions?) {
        if let stream = options?.outgoingAudioOptions?.stream { audio = stream }
        if let stream = options?.incomingAudioOptions?.stream { incoming = stream }
        for stream in options?.outgoingVideoOptions?.streams ?? [] {
            guard let stream = stream as? RawOutgoingVideoStream else { continue }
            attach(stream)
        }
    }
}

/// The options of leaving.
public final class HangUpOptions: NSObject {
    /// Has no effect.
    public var forEveryone = false

    /// Makes options.
    public override init() {}
}

/// The outgoing audio of a call.
public final class OutgoingAudioOptions: NSObject {
    /// The stream.
    public var stream: RawOutgoingAudioStream?
}

/// The incoming audio of a call.
public final class IncomingAudioOptions: NSObject {
    /// The stream.
    public var stream: RawIncomingAudioStream?
}

/// The outgoing video of a call.
public final class OutgoingVideoOptions: NSObject {
    /// The streams; a plugin sends one.
    public var streams: [OutgoingVideoStream] = []

    /// Makes options without a stream.
    public override init() {}
}

/// The incoming video of a call.
public final class IncomingVideoOptions: NSObject {
    /// Has no effect: streams are raw, since a plugin has no views.
    public var streamType = VideoStreamType.rawIncoming

    /// Makes options for raw streams.
    public override init() {}
}

/// The streams of a call from its begin.
public class CallOptions: NSObject {
    /// The outgoing video.
    public var outgoingVideoOptions: OutgoingVideoOptions?
    /// The incoming video.
    public var incomingVideoOptions: IncomingVideoOptions?
    /// The outgoing audio.
    public var outgoingAudioOptions: OutgoingAudioOptions?
    /// The incoming audio.
    public var incomingAudioOptions: IncomingAudioOptions?

    /// Makes options without streams.
    public override init() {}
}

/// The streams of a call that is joined.
public final class JoinCallOptions: CallOptions {}

/// The streams of a call that is started.
public final class StartCallOptions: CallOptions {}

/// A token; it has no effect.
public final class CommunicationTokenCredential: NSObject {
    /// Makes a credential.
    public init(token: String) throws {
        VendorHost.explain(
            "CommunicationTokenCredential", "a session file takes the place of accounts")
    }
}

/// The name of a meeting; it has no effect.
open class JoinMeetingLocator: NSObject {
    override init() {
        VendorHost.explain("JoinMeetingLocator", "a session file takes the place of meetings")
    }
}

/// The name of a group call; it has no effect.
public final class GroupCallLocator: JoinMeetingLocator {
    /// Makes a locator.
    public init(groupId: UUID) {}
}

/// The link of a meeting; it has no effect.
public final class TeamsMeetingLinkLocator: JoinMeetingLocator {
    /// Makes a locator.
    public init(meetingLink: String) {}
}

/// Joins calls.
public final class CallAgent: NSObject, @unchecked Sendable {
    /// The call of the plugin that is being made, on the main queue.
    static nonisolated(unsafe) var joining: Call?
    /// The call of the newest plugin, for an app that joins later.
    static nonisolated(unsafe) var newest: Call?

    /// Joins the session.
    public func join(
        with locator: JoinMeetingLocator, joinCallOptions: JoinCallOptions?,
        completionHandler: @escaping (Call?, (any Error)?) -> Void
    ) {
        let call = MainQueue.run {
            let call = Self.joining ?? Self.newest
            call?.take(joinCallOptions)
            return call
        }
        completionHandler(call, nil)
    }

    /// Joins the session.
    public func join(
        with locator: JoinMeetingLocator, joinCallOptions: JoinCallOptions?
    ) async throws -> Call {
        var joined: Call?
        join(with: locator, joinCallOptions: joinCallOptions) { call, _ in joined = call }
        guard let joined else { throw RawMediaError(status: .notStarted) }
        return joined
    }
}

/// The options of an agent; they have no effect.
public final class CallAgentOptions: NSObject {
    /// Has no effect.
    public var displayName: String?

    /// Makes options.
    public override init() {}
}

/// A camera of the device, which a plugin does not have.
public final class VideoDeviceInfo: NSObject {
    /// Its name.
    public let name: String

    init(name: String) { self.name = name }
}

/// The cameras of the device.
public final class DeviceManager: NSObject, Sendable {
    /// None: `AVCaptureDevice` has the session's camera.
    public var cameras: [VideoDeviceInfo] { [] }
}

/// Makes agents.
public final class CallClient: NSObject, Sendable {
    /// Makes a client.
    public override init() {}

    /// Makes an agent at once.
    public func createCallAgent(
        userCredential: CommunicationTokenCredential,
        completionHandler: @escaping (CallAgent?, (any Error)?) -> Void
    ) { completionHandler(CallAgent(), nil) }

    /// Makes an agent at once.
    public func createCallAgent(
        userCredential: CommunicationTokenCredential, options: CallAgentOptions?
    ) async throws -> CallAgent { CallAgent() }

    /// The cameras of the device.
    public func getDeviceManager() async throws -> DeviceManager { DeviceManager() }
}
