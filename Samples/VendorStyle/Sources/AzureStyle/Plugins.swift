// The SDK's protocols document the members.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import AppleMediaStyle

/// An app of the Calling SDK.
public protocol AzureApp: AnyObject {
    /// The plugin that it becomes.
    static var plugin: PluginDescription { get }
    /// Makes the app, on the main queue.
    init()
    /// The call is connected: attach streams to it. Runs on the main queue.
    func didConnect(to call: Call) throws
}

/// An app and its call.
final class ConnectedApp<App: AzureApp>: @unchecked Sendable {
    let call = Call()
    let app: App
    let host: PluginHost

    init(_ host: PluginHost) {
        VendorHost.current = host
        self.host = host
        app = MainQueue.run { App() }
    }

    func connect() throws {
        try MainQueue.run {
            CallAgent.joining = call
            CallAgent.newest = call
            defer { CallAgent.joining = nil }
            try app.didConnect(to: call)
        }
    }

    func lacks(_ what: String) -> PluginError {
        PluginError(
            "\(App.plugin.name) attached no \(what): do so in didConnect(to:)",
            status: .unavailable)
    }
}

/// The outgoing video of an app, as the session's camera.
public struct AzureCamera<App: AzureApp>: VideoSource {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var sender: VideoSender?
    private var format: VideoFormat?
    private var isSending = false

    public init(settings: NoSettings, host: PluginHost) { app = ConnectedApp(host) }

    public mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        try app.connect()
        guard let format = app.call.video?.options.format(under: suggested) else {
            throw app.lacks("video stream with a format")
        }
        self.sender = sender
        self.format = format
        return .fixed(format.capability)
    }

    public mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        guard let stream = app.call.video, let sender,
            let format = stream.options.format(under: suggested)
        else { return nil }
        if format !== self.format {
            self.format = format
            if isSending { stream.start(sender, format) }
        }
        return .fixed(format.capability)
    }

    public mutating func onStartSend() {
        isSending = true
        guard let stream = app.call.video, let sender, let format else { return }
        stream.start(sender, format)
    }

    public mutating func onStopSend() {
        isSending = false
        app.call.video?.stop()
    }
}

/// The outgoing video of an app, as a participant's camera and share. The app captures the session's: its camera
/// as an `AVCaptureDevice`, its share with `RPScreenRecorder`.
public struct AzureCall<App: AzureApp>: GreenroomPlugin.Call {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var person: SendingPerson?

    public init(settings: NoSettings, host: PluginHost) {
        app = ConnectedApp(host)
        CaptureFeed.shared.begin(host)
    }

    public func onTrack(_ track: Track) -> TrackWant? {
        track.recorderWant ?? CaptureFeed.shared.want(of: track)
    }

    public mutating func onStart() throws {
        let person = SendingPerson(App.plugin.name, app.host)
        self.person = person
        app.call.onStartVideo = person.start
        try app.connect()
        MainQueue.run { app.call.set(.connected) }
    }

    public func onVideo(_ frame: borrowing OutputFrame) {
        guard frame.content == .new else { return }
        if frame.track.kind == .camera { return CaptureFeed.shared.capture(frame) }
        guard let sample = CMSampleBuffer(frame, orientation: .up) else { return }
        RPScreenRecorder.shared().capture(sample)
    }

    public mutating func onStop() {
        RPScreenRecorder.shared().stopCapture()
        person?.leave()
        person = nil
        MainQueue.run { app.call.set(.disconnected) }
    }
}

/// The participant that sends an app's streams, from the first stream on.
private final class SendingPerson: @unchecked Sendable {
    private let name: String
    private let host: PluginHost
    private let lock = NSLock()
    private var participant: CallParticipant?
    private var streams: [RawOutgoingVideoStream] = []

    init(_ name: String, _ host: PluginHost) { (self.name, self.host) = (name, host) }

    /// Opens a track for a stream and starts it.
    func start(_ stream: RawOutgoingVideoStream) {
        do {
            let sender = try lock.withLock {
                let participant = try self.participant ?? host.join(name)
                self.participant = participant
                streams.append(stream)
                guard stream.type == .screenShareOutgoing else {
                    return try participant.openCamera(upTo: stream.format.capability).sender
                }
                let screen = UIScreen.main.bounds.size
                return try participant.openShare(
                    upTo: VideoCapability(
                        width: Int(screen.width), height: Int(screen.height), fps: 30)
                ).sender
            }
            stream.start(sender, stream.format)
        } catch {
            VendorHost.log(.error, "\(error)")
            stream.change(.failed)
        }
    }

    func leave() {
        let (participant, streams) = lock.withLock {
            defer { (self.participant, self.streams) = (nil, []) }
            return (self.participant, self.streams)
        }
        streams.forEach { $0.stop() }
        participant?.leave()
    }
}

/// The outgoing audio of an app.
public struct AzureMicrophone<App: AzureApp>: VirtualAudioMic {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private var sender: AudioSender?

    public init(settings: NoSettings, host: PluginHost) { app = ConnectedApp(host) }

    public mutating func onMicInitialize(_ sender: AudioSender) throws {
        try app.connect()
        guard app.call.audio != nil else { throw app.lacks("outgoing audio stream") }
        self.sender = sender
    }

    public func onMicStartSend() {
        if let sender { app.call.audio?.start(sender) }
    }

    public func onMicStopSend() { app.call.audio?.stop() }
}

/// The incoming media of an app: the participants of the session's call are the call's, each with a stream for their
/// camera and their share, and the sum of their audio.
public struct AzureReceiver<App: AzureApp>: Output {
    public static var plugin: PluginDescription { App.plugin }

    private let app: ConnectedApp<App>
    private let participants: Participants
    private var people = People()

    public init(settings: NoSettings, host: PluginHost) throws {
        let app = ConnectedApp<App>(host)
        self.app = app
        participants = Participants(app.call, host)
        app.call.onIncoming = { host.wantsChanged() }
        app.call.onStartVideo = { _ in
            VendorHost.explain(
                "a video stream of a receiver", "AzureCamera or AzureCall sends the app's video")
        }
        try app.connect()
    }

    public mutating func onTrack(_ track: Track) -> TrackWant? {
        if track.kind == .incoming {
            return app.call.incoming.map { .audio($0.options.properties.want) }
        }
        return people.want(of: track, participants)
    }

    public func onStart() {
        MainQueue.run { app.call.set(.connected) }
        app.call.incoming?.change(.started)
    }

    public func onVideo(_ frame: borrowing OutputFrame) {
        participants.stream(of: frame.track)?.receive(frame)
    }

    public func onAudio(_ block: borrowing OutputBlock) {
        if block.track.kind == .incoming { app.call.incoming?.receive(block) }
    }

    public mutating func onTrackEnded(_ track: Track) { people.end(track, participants) }

    public func onStop() {
        app.call.incoming?.change(.stopped)
        MainQueue.run { app.call.set(.disconnected) }
    }
}

extension RawAudioStreamProperties {
    var want: AudioTrackWant {
        AudioTrackWant(
            format: AudioFormat(
                sampleRate: sampleRate.rawValue, channels: channelMode.rawValue),
            blockFrames: sampleRate.rawValue * bufferDuration.rawValue / 1000)
    }
}

/// The participants of a call and their streams.
private final class Participants: PeopleListener, @unchecked Sendable {
    private let call: Call
    private let host: PluginHost
    private let lock = NSLock()
    private var people: [UInt32: RemoteParticipant] = [:]
    private var streams: [UInt32: RawIncomingVideoStream] = [:]

    init(_ call: Call, _ host: PluginHost) { (self.call, self.host) = (call, host) }

    func stream(of track: Track) -> RawIncomingVideoStream? {
        lock.withLock { streams[track.id] }
    }

    func joined(_ person: Track.Participant) {
        let participant = RemoteParticipant(person.name)
        people[person.number] = participant
        call.remoteParticipants.append(participant)
        call.delegate?.call(
            call, didUpdateRemoteParticipant: .init(added: [participant], removed: []))
    }

    func left(_ person: Track.Participant) {
        guard let participant = people.removeValue(forKey: person.number) else { return }
        participant.state = .disconnected
        participant.delegate?.remoteParticipant(participant, didChangeState: .init())
        call.remoteParticipants.removeAll { $0 === participant }
        call.delegate?.call(
            call, didUpdateRemoteParticipant: .init(added: [], removed: [participant]))
    }

    func opened(_ track: Track) {
        guard track.kind.isVideo, let number = track.participant?.number,
            let participant = people[number]
        else { return }
        let stream = RawIncomingVideoStream(track.kind == .share ? .screenSharing : .video) {
            [host] in _ = host.wantsChanged()
        }
        lock.withLock { streams[track.id] = stream }
        participant.incomingVideoStreams.append(stream)
        participant.delegate?.remoteParticipant(
            participant, didChangeVideoStreamState: .init(stream))
    }

    func closed(_ track: Track) {
        guard let stream = lock.withLock({ streams.removeValue(forKey: track.id) }),
            let number = track.participant?.number, let participant = people[number]
        else { return }
        stream.set(.notAvailable)
        participant.incomingVideoStreams.removeAll { $0 === stream }
        participant.delegate?.remoteParticipant(
            participant, didChangeVideoStreamState: .init(stream))
    }

    func want(of track: Track) -> TrackWant? {
        guard stream(of: track)?.isWanted == true else { return nil }
        return .video(VideoTrackWant(format: .nv12, matrix: .bt601))
    }
}
