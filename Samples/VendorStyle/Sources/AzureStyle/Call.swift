import AppleMediaStyle

/// The call, which is the session. Its name hides the SDK's `Call` from a file that imports this module
/// alone.
public final class Call: NSObject, @unchecked Sendable {
    var video: RawOutgoingVideoStream?
    var audio: RawOutgoingAudioStream?
    var incoming: RawIncomingAudioStream?
    /// Starts a stream that is attached while the session runs.
    var onStartVideo: ((RawOutgoingVideoStream) -> Void)?

    override init() {}

    /// Attaches a stream. The session starts and stops it.
    public func startVideo(
        stream: RawOutgoingVideoStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        MainQueue.run {
            video = stream
            stream.change(.available)
            onStartVideo?(stream)
        }
        completionHandler(nil)
    }

    /// Detaches a stream.
    public func stopVideo(
        stream: RawOutgoingVideoStream, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        stream.stop()
        MainQueue.run { if video === stream { video = nil } }
        completionHandler(nil)
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
    }
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

/// The streams of a call from its begin.
public class CallOptions: NSObject {
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

/// The name of a group call; it has no effect.
public final class GroupCallLocator: NSObject {
    /// Makes a locator.
    public init(groupId: UUID) {
        VendorHost.explain("GroupCallLocator", "a session file takes the place of meetings")
    }
}

/// Joins calls.
public final class CallAgent: NSObject {
    /// The call of the plugin that is being made, on the main queue.
    static nonisolated(unsafe) var call: Call?

    /// Joins the session.
    public func join(
        with locator: GroupCallLocator, joinCallOptions: JoinCallOptions?,
        completionHandler: @escaping (Call?, (any Error)?) -> Void
    ) {
        Self.call?.take(joinCallOptions)
        completionHandler(Self.call, nil)
    }
}

/// Makes agents.
public final class CallClient: NSObject {
    /// Makes a client.
    public override init() {}

    /// Makes an agent at once.
    public func createCallAgent(
        userCredential: CommunicationTokenCredential,
        completionHandler: @escaping (CallAgent?, (any Error)?) -> Void
    ) { completionHandler(CallAgent(), nil) }
}
