import AppleMediaStyle

/// The kind of a video stream.
public enum VideoStreamType: Int, Sendable {
    /// A participant's, shown by a view. A plugin has no views.
    case remoteIncoming = 1
    /// A participant's, as frames.
    case rawIncoming
    /// A camera of the device, which a plugin does not have.
    case localOutgoing
    /// Frames of the app.
    case virtualOutgoing
    /// Frames of the app, as a screen share.
    case screenShareOutgoing
}

/// The content of a video stream.
public enum VideoStreamSourceType: Int, Sendable {
    /// A camera.
    case video = 1
    /// A screen.
    case screenSharing
}

/// The state of a video stream.
public enum VideoStreamState: Int, Sendable {
    /// It can be started.
    case available
    /// Frames flow.
    case started
    /// Frames end.
    case stopping
    /// Frames have ended.
    case stopped
    /// It is gone.
    case notAvailable

    init?(_ state: OutgoingVideoStreamState) {
        switch state {
        case .none: return nil
        case .available: self = .available
        case .started: self = .started
        case .stopping: self = .stopping
        case .stopped: self = .stopped
        case .failed: self = .notAvailable
        }
    }
}

/// The direction of a stream.
public enum StreamDirection: Int, Sendable {
    /// To the app.
    case incoming
    /// From the app.
    case outgoing
}

/// A video stream of a call.
open class CallVideoStream: NSObject, @unchecked Sendable {
    /// The kind.
    public let type: VideoStreamType
    /// Its direction.
    public let direction: StreamDirection
    /// The content.
    public let sourceType: VideoStreamSourceType
    private let stateLock = NSLock()
    private var current = VideoStreamState.available

    /// Its state.
    public var state: VideoStreamState { stateLock.withLock { current } }

    init(_ type: VideoStreamType, _ direction: StreamDirection, _ sourceType: VideoStreamSourceType)
    {
        (self.type, self.direction, self.sourceType) = (type, direction, sourceType)
    }

    /// Sets the state, and calls the delegate. Runs on the main queue.
    func set(_ state: VideoStreamState) {
        stateLock.withLock { current = state }
        tell(VideoStreamStateChangedEventArgs(self))
    }

    func tell(_ args: VideoStreamStateChangedEventArgs) {}
}

/// A stream of the app.
open class OutgoingVideoStream: CallVideoStream, @unchecked Sendable {}

/// A stream of a participant.
open class IncomingVideoStream: CallVideoStream, @unchecked Sendable {}

/// The arguments of a change of state.
public final class VideoStreamStateChangedEventArgs: NSObject {
    /// The stream, which has the new state.
    public let stream: CallVideoStream

    init(_ stream: CallVideoStream) { self.stream = stream }
}

/// The arguments of a change of format.
public final class VideoStreamFormatChangedEventArgs: NSObject {
    /// The new format.
    public let format: VideoStreamFormat

    init(_ format: VideoStreamFormat) { self.format = format }
}

/// The arguments of a frame.
public final class RawVideoFrameReceivedEventArgs: NSObject {
    /// The frame, a `RawVideoFrameBuffer`.
    public let frame: RawVideoFrame

    init(_ frame: RawVideoFrame) { self.frame = frame }
}

/// Gets a participant's video. Each function has a default that does nothing.
public protocol RawIncomingVideoStreamDelegate: AnyObject {
    /// The stream has another state; on the main queue.
    func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs)
    /// Gets a frame, on the host's media thread.
    func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didReceiveRawVideoFrame args: RawVideoFrameReceivedEventArgs)
}

extension RawIncomingVideoStreamDelegate {
    /// Does nothing.
    public func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs
    ) {}
    /// Does nothing.
    public func rawIncomingVideoStream(
        _ rawIncomingVideoStream: RawIncomingVideoStream,
        didReceiveRawVideoFrame args: RawVideoFrameReceivedEventArgs
    ) {}
}

/// A participant's camera or share, as frames of NV12 in the size that they send.
public final class RawIncomingVideoStream: IncomingVideoStream, @unchecked Sendable {
    private let lock = NSLock()
    private let wantsChanged: () -> Void
    private var wanted = false
    private weak var listener: (any RawIncomingVideoStreamDelegate)?

    init(_ sourceType: VideoStreamSourceType, wantsChanged: @escaping () -> Void) {
        self.wantsChanged = wantsChanged
        super.init(.rawIncoming, .incoming, sourceType)
    }

    /// Gets the frames.
    public var delegate: (any RawIncomingVideoStreamDelegate)? {
        get { lock.withLock { listener } }
        set { lock.withLock { listener = newValue } }
    }

    /// Has the frames delivered. The state is `started` from the first frame on.
    public func start() { want(true) }

    /// Ends that.
    public func stop() {
        want(false)
        MainQueue.run { if state == .started { set(.stopped) } }
    }

    private func want(_ wanted: Bool) {
        lock.withLock { self.wanted = wanted }
        wantsChanged()
    }

    var isWanted: Bool { lock.withLock { wanted } }

    override func tell(_ args: VideoStreamStateChangedEventArgs) {
        delegate?.rawIncomingVideoStream(self, didChangeState: args)
    }

    func receive(_ frame: borrowing OutputFrame) {
        guard isWanted, frame.content == .new || frame.content == .repeated,
            let buffer = CVPixelBuffer(copying: frame)
        else { return }
        if state != .started { MainQueue.run { set(.started) } }
        guard let delegate else { return }
        let raw = RawVideoFrameBuffer()
        raw.buffer = buffer
        raw.streamFormat.width = Int32(clamping: frame.width)
        raw.streamFormat.height = Int32(clamping: frame.height)
        raw.streamFormat.stride1 = Int32(clamping: buffer.stride(of: 0))
        raw.streamFormat.stride2 = Int32(clamping: buffer.stride(of: 1))
        raw.timestampInTicks = frame.timeNanoseconds / 100
        delegate.rawIncomingVideoStream(self, didReceiveRawVideoFrame: .init(raw))
    }
}

/// The state of a participant.
public enum ParticipantState: Int, Sendable {
    /// Not there yet.
    case idle
    /// There.
    case connected = 3
    /// Gone.
    case disconnected = 6
}

/// Hears of a participant, on the main queue. Each function has a default that does nothing.
public protocol RemoteParticipantDelegate: AnyObject {
    /// One of their video streams has another state.
    func remoteParticipant(
        _ remoteParticipant: RemoteParticipant,
        didChangeVideoStreamState args: VideoStreamStateChangedEventArgs)
    /// They have left.
    func remoteParticipant(
        _ remoteParticipant: RemoteParticipant, didChangeState args: PropertyChangedEventArgs)
}

extension RemoteParticipantDelegate {
    /// Does nothing.
    public func remoteParticipant(
        _ remoteParticipant: RemoteParticipant,
        didChangeVideoStreamState args: VideoStreamStateChangedEventArgs
    ) {}
    /// Does nothing.
    public func remoteParticipant(
        _ remoteParticipant: RemoteParticipant, didChangeState args: PropertyChangedEventArgs
    ) {}
}

/// The arguments of a change that an object's properties describe.
public final class PropertyChangedEventArgs: NSObject {}

/// A participant of the session's call.
public final class RemoteParticipant: NSObject, @unchecked Sendable {
    /// Hears of them.
    public weak var delegate: (any RemoteParticipantDelegate)?
    /// Their name.
    public let displayName: String
    /// Whether they are there.
    public internal(set) var state = ParticipantState.connected
    /// Their camera and share.
    public internal(set) var incomingVideoStreams: [IncomingVideoStream] = []

    init(_ name: String) { displayName = name }
}

/// The arguments of a change of participants.
public final class ParticipantsUpdatedEventArgs: NSObject {
    /// The new participants.
    public let addedParticipants: [RemoteParticipant]
    /// The participants that have left.
    public let removedParticipants: [RemoteParticipant]

    init(added: [RemoteParticipant], removed: [RemoteParticipant]) {
        (addedParticipants, removedParticipants) = (added, removed)
    }
}

/// Hears of a call, on the main queue. Each function has a default that does nothing.
public protocol CallDelegate: AnyObject {
    /// Participants have joined or left.
    func call(_ call: Call, didUpdateRemoteParticipant args: ParticipantsUpdatedEventArgs)
    /// The call is connected, or has ended.
    func call(_ call: Call, didChangeState args: PropertyChangedEventArgs)
}

extension CallDelegate {
    /// Does nothing.
    public func call(_ call: Call, didUpdateRemoteParticipant args: ParticipantsUpdatedEventArgs) {}
    /// Does nothing.
    public func call(_ call: Call, didChangeState args: PropertyChangedEventArgs) {}
}
