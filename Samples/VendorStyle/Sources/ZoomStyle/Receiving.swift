// The names and their types are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
import AppleMediaStyle

/// Lines of a received frame.
public enum ZoomVideoSDKVideoResolution: UInt, Sendable {
    /// 90.
    case _90
    /// 180.
    case _180
    /// 360.
    case _360
    /// 720.
    case _720
    /// 1080.
    case _1080
    /// 1080.
    case auto = 100

    var lines: Int {
        switch self {
        case ._90: 90
        case ._180: 180
        case ._360: 360
        case ._720: 720
        case ._1080, .auto: 1080
        }
    }
}

/// Whether a user sends.
public enum ZoomVideoSDKUserRawdataStatus: UInt, Sendable {
    /// Frames arrive.
    case on
    /// They do not.
    case off
}

/// The kind of a pipe.
public enum ZoomVideoSDKVideoType: UInt, Sendable {
    /// A camera.
    case videoData = 1
    /// A share.
    case shareData
}

/// The state of a user's share.
public enum ZoomVideoSDKReceiveSharingStatus: UInt, Sendable {
    /// Nothing.
    case none
    /// It begins.
    case start
    /// Not reported.
    case pause
    /// Not reported.
    case resume
    /// It ends.
    case stop
}

/// A user's camera.
public final class ZoomVideoSDKVideoStatus: NSObject {
    /// Whether they send it.
    public let on: Bool

    init(_ on: Bool) { self.on = on }
}

/// A user's audio.
public final class ZoomVideoSDKAudioStatus: NSObject {
    /// Whether they send none.
    public let isMuted: Bool
    /// Not known.
    public let talking = false

    init(_ isMuted: Bool) { self.isMuted = isMuted }
}

/// A block of audio: 16-bit, mono, 32000 Hz, 10 ms. It lives as long as somebody has a reference.
public final class ZoomVideoSDKAudioRawData: NSObject, @unchecked Sendable {
    /// The samples.
    public var buffer: UnsafeMutablePointer<CChar>! { memory.plane(0, as: CChar.self) }
    /// In bytes.
    public var bufferLen: Int { memory.bytes.count }
    /// In Hz.
    public let sampleRate: Int
    /// One.
    public let channelNum: Int

    private let memory: PackedMedia

    init(_ block: borrowing OutputBlock) {
        memory = PackedMedia(block)
        sampleRate = block.format.sampleRate
        channelNum = block.format.channels
    }

    /// Always.
    public func canAddRef() -> Bool { true }
    /// Has no effect: Swift counts references.
    @discardableResult public func addRef() -> Bool { true }
    /// Has no effect: Swift counts references.
    @discardableResult public func releaseRef() -> Int { 0 }
}

/// A frame without padding, upright. It lives as long as somebody has a reference.
public final class ZoomVideoSDKVideoRawData: NSObject, @unchecked Sendable {
    /// Y.
    public var yBuffer: UnsafeMutablePointer<CChar>! { memory.plane(0, as: CChar.self) }
    /// U.
    public var uBuffer: UnsafeMutablePointer<CChar>! { memory.plane(1, as: CChar.self) }
    /// V.
    public var vBuffer: UnsafeMutablePointer<CChar>! { memory.plane(2, as: CChar.self) }
    /// In pixels.
    public let size: CGSize
    /// Whether values go from 16 to 235.
    public let isLimited: Bool
    /// The range of values.
    public var format: ZoomVideoSDKFrameDataFormat { isLimited ? .I420_Limit : .I420 }
    /// Always upright.
    public let rotation = ZoomVideoSDKVideoRawDataRotation.none

    private let memory: PackedMedia

    init(_ frame: borrowing OutputFrame) {
        memory = PackedMedia(frame)
        size = CGSize(width: frame.width, height: frame.height)
        isLimited = frame.color.range != .full
    }

    /// Always.
    public func canAddRef() -> Bool { true }
    /// Has no effect: Swift counts references.
    @discardableResult public func addRef() -> Bool { true }
    /// Has no effect: Swift counts references.
    @discardableResult public func releaseRef() -> Int { 0 }
}

/// Gets a user's video, on the host's media thread. Each function has a default that does nothing.
public protocol ZoomVideoSDKRawDataPipeDelegate: AnyObject {
    /// Gets a frame.
    func onRawDataFrameReceived(_ rawData: ZoomVideoSDKVideoRawData!)
    /// The user sends, or does not.
    func onRawDataStatusChanged(_ userRawdataStatus: ZoomVideoSDKUserRawdataStatus)
}

extension ZoomVideoSDKRawDataPipeDelegate {
    /// Does nothing.
    public func onRawDataFrameReceived(_ rawData: ZoomVideoSDKVideoRawData!) {}
    /// Does nothing.
    public func onRawDataStatusChanged(_ userRawdataStatus: ZoomVideoSDKUserRawdataStatus) {}
}

/// A user's camera or share, and who gets it. A user's frames have the size of the largest subscription, in the shape
/// of the track, and are never enlarged.
public final class ZoomVideoSDKRawDataPipe: NSObject, @unchecked Sendable {
    private struct Subscription {
        weak var delegate: (any ZoomVideoSDKRawDataPipeDelegate)?
        var lines: Int
    }

    private let type: ZoomVideoSDKVideoType
    private let room: ZoomRoom
    private var subscriptions: [Subscription] = []
    private var isOn = false
    private var hasTrack = false

    init(_ type: ZoomVideoSDKVideoType, _ room: ZoomRoom) { (self.type, self.room) = (type, room) }

    /// Has frames delivered, from any thread.
    @discardableResult
    public func subscribe(
        with delegate: (any ZoomVideoSDKRawDataPipeDelegate)?,
        resolution: ZoomVideoSDKVideoResolution
    ) -> ZoomVideoSDKError {
        guard let delegate else { return .Errors_Invalid_Parameter }
        let isOn = room.lock.withLock {
            subscriptions.removeAll { $0.delegate == nil || $0.delegate === delegate }
            subscriptions.append(Subscription(delegate: delegate, lines: resolution.lines))
            return self.isOn
        }
        if isOn { delegate.onRawDataStatusChanged(.on) }
        room.wantsChanged()
        return .Errors_Success
    }

    /// Ends that. Once it has returned, the delegate gets nothing.
    @discardableResult
    public func unSubscribe(
        with delegate: (any ZoomVideoSDKRawDataPipeDelegate)?
    ) -> ZoomVideoSDKError {
        room.lock.withLock {
            subscriptions.removeAll { $0.delegate == nil || $0.delegate === delegate }
        }
        room.wantsChanged()
        return .Errors_Success
    }

    /// The kind.
    public func rawdataPipeType() -> ZoomVideoSDKVideoType { type }
    /// Whether the user sends it.
    public func videoStatus() -> ZoomVideoSDKVideoStatus? {
        ZoomVideoSDKVideoStatus(room.lock.withLock { hasTrack })
    }

    var isOpen: Bool {
        get { room.lock.withLock { hasTrack } }
        set {
            room.lock.withLock { hasTrack = newValue }
            if !newValue { set(false) }
        }
    }

    func want(of track: Track) -> TrackWant? {
        let lines = room.lock.withLock {
            subscriptions.filter { $0.delegate != nil }.map(\.lines).max()
        }
        return lines.map { .video(VideoTrackWant(format: .i420, of: track, lines: $0)) }
    }

    func receive(_ frame: borrowing OutputFrame) {
        let isOn = frame.content == .new || frame.content == .repeated
        set(isOn)
        guard isOn else { return }
        let data = ZoomVideoSDKVideoRawData(frame)
        each { $0.onRawDataFrameReceived(data) }
    }

    private func set(_ isOn: Bool) {
        let isNews = room.lock.withLock {
            defer { self.isOn = isOn }
            return self.isOn != isOn
        }
        if isNews { each { $0.onRawDataStatusChanged(isOn ? .on : .off) } }
    }

    /// Calls each delegate with the room's lock, which an ending subscription waits for.
    private func each(_ body: (any ZoomVideoSDKRawDataPipeDelegate) -> Void) {
        room.lock.lock()
        defer { room.lock.unlock() }
        for delegate in subscriptions.compactMap(\.delegate)
        where subscriptions.contains(where: { $0.delegate === delegate }) { body(delegate) }
    }
}

/// A participant of the session's call, or the session itself.
public final class ZoomVideoSDKUser: NSObject, @unchecked Sendable {
    private let number: UInt
    private let name: String
    private let room: ZoomRoom
    let video: ZoomVideoSDKRawDataPipe
    let share: ZoomVideoSDKRawDataPipe
    private var hasAudio = false

    init(_ number: UInt, _ name: String, _ room: ZoomRoom) {
        (self.number, self.name, self.room) = (number, name, room)
        video = ZoomVideoSDKRawDataPipe(.videoData, room)
        share = ZoomVideoSDKRawDataPipe(.shareData, room)
    }

    /// Their number.
    public func getID() -> UInt { number }
    /// Their name.
    public func getName() -> String? { name }
    /// Whether they are the session itself.
    public func isHost() -> Bool { number == 0 }
    /// Never.
    public func isManager() -> Bool { false }
    /// Their camera.
    public func getVideoPipe() -> ZoomVideoSDKRawDataPipe? { video }
    /// Their share.
    public func getSharePipe() -> ZoomVideoSDKRawDataPipe? { share }
    /// Their audio.
    public func audioStatus() -> ZoomVideoSDKAudioStatus? {
        ZoomVideoSDKAudioStatus(!isHeard)
    }
    /// Their camera.
    public func videoStatus() -> ZoomVideoSDKVideoStatus? { video.videoStatus() }
    /// Their share, if they share.
    public func getShareActionList() -> [ZoomVideoSDKShareAction]? {
        share.isOpen ? [ZoomVideoSDKShareAction(self)] : []
    }

    var isHeard: Bool {
        get { room.lock.withLock { hasAudio } }
        set { room.lock.withLock { hasAudio = newValue } }
    }
}

/// A user's share.
public final class ZoomVideoSDKShareAction: NSObject, @unchecked Sendable {
    private let user: ZoomVideoSDKUser

    init(_ user: ZoomVideoSDKUser) { self.user = user }

    /// Whether they share.
    public func getShareStatus() -> ZoomVideoSDKReceiveSharingStatus {
        user.share.isOpen ? .start : .stop
    }
    /// The share.
    public func getSharePipe() -> ZoomVideoSDKRawDataPipe? { user.share }
}

/// Plays audio, on the host's media thread. Each function has a default that does nothing.
public protocol ZoomVideoSDKVirtualAudioSpeaker: AnyObject {
    /// Gets the sum of all participants.
    func onVirtualSpeakerMixedAudioReceived(_ rawData: ZoomVideoSDKAudioRawData!)
    /// Gets a participant's audio.
    func onVirtualSpeakerOneWayAudioReceived(
        _ rawData: ZoomVideoSDKAudioRawData!, user: ZoomVideoSDKUser!)
    /// Gets the audio of a participant's share.
    func onVirtualSpeakerSharedAudioReceived(_ rawData: ZoomVideoSDKAudioRawData!)
}

extension ZoomVideoSDKVirtualAudioSpeaker {
    /// Does nothing.
    public func onVirtualSpeakerMixedAudioReceived(_ rawData: ZoomVideoSDKAudioRawData!) {}
    /// Does nothing.
    public func onVirtualSpeakerOneWayAudioReceived(
        _ rawData: ZoomVideoSDKAudioRawData!, user: ZoomVideoSDKUser!
    ) {}
    /// Does nothing.
    public func onVirtualSpeakerSharedAudioReceived(_ rawData: ZoomVideoSDKAudioRawData!) {}
}

/// Gets the events of a session: on the main queue, audio on the host's media thread. Each function has a default
/// that does nothing.
public protocol ZoomVideoSDKDelegate: AnyObject {
    /// The session has started.
    func onSessionJoin()
    /// The session ends.
    func onSessionLeave()
    /// Never called: the session's log has its errors.
    func onError(_ ErrorType: ZoomVideoSDKError, detail details: Int)
    /// Participants have joined.
    func onUserJoin(_ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!)
    /// Participants have left.
    func onUserLeave(_ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!)
    /// A camera was opened or closed.
    func onUserVideoStatusChanged(
        _ helper: ZoomVideoSDKVideoHelper!, user userArray: [ZoomVideoSDKUser]!)
    /// A microphone was opened or closed.
    func onUserAudioStatusChanged(
        _ helper: ZoomVideoSDKAudioHelper!, user userArray: [ZoomVideoSDKUser]!)
    /// A share was opened or closed.
    func onUserShareStatusChanged(
        _ helper: ZoomVideoSDKShareHelper!, user: ZoomVideoSDKUser!,
        shareAction: ZoomVideoSDKShareAction!)
    /// The same, in older versions.
    func onUserShareStatusChanged(
        _ helper: ZoomVideoSDKShareHelper!, user: ZoomVideoSDKUser!,
        status: ZoomVideoSDKReceiveSharingStatus)
    /// Gets the sum of all participants, after the audio helper's `subscribe`.
    func onMixedAudioRawDataReceived(_ rawData: ZoomVideoSDKAudioRawData!)
    /// Gets a participant's audio, after the audio helper's `subscribe`.
    func onOneWayAudioRawDataReceived(
        _ rawData: ZoomVideoSDKAudioRawData!, user: ZoomVideoSDKUser!)
    /// Gets the audio of a participant's share, after the audio helper's `subscribe`.
    func onSharedAudioRawDataReceived(_ rawData: ZoomVideoSDKAudioRawData!)
}

extension ZoomVideoSDKDelegate {
    /// Does nothing.
    public func onSessionJoin() {}
    /// Does nothing.
    public func onSessionLeave() {}
    /// Does nothing.
    public func onError(_ ErrorType: ZoomVideoSDKError, detail details: Int) {}
    /// Does nothing.
    public func onUserJoin(
        _ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!
    ) {}
    /// Does nothing.
    public func onUserLeave(
        _ helper: ZoomVideoSDKUserHelper!, users userArray: [ZoomVideoSDKUser]!
    ) {}
    /// Does nothing.
    public func onUserVideoStatusChanged(
        _ helper: ZoomVideoSDKVideoHelper!, user userArray: [ZoomVideoSDKUser]!
    ) {}
    /// Does nothing.
    public func onUserAudioStatusChanged(
        _ helper: ZoomVideoSDKAudioHelper!, user userArray: [ZoomVideoSDKUser]!
    ) {}
    /// Does nothing.
    public func onUserShareStatusChanged(
        _ helper: ZoomVideoSDKShareHelper!, user: ZoomVideoSDKUser!,
        shareAction: ZoomVideoSDKShareAction!
    ) {}
    /// Does nothing.
    public func onUserShareStatusChanged(
        _ helper: ZoomVideoSDKShareHelper!, user: ZoomVideoSDKUser!,
        status: ZoomVideoSDKReceiveSharingStatus
    ) {}
    /// Does nothing.
    public func onMixedAudioRawDataReceived(_ rawData: ZoomVideoSDKAudioRawData!) {}
    /// Does nothing.
    public func onOneWayAudioRawDataReceived(
        _ rawData: ZoomVideoSDKAudioRawData!, user: ZoomVideoSDKUser!
    ) {}
    /// Does nothing.
    public func onSharedAudioRawDataReceived(_ rawData: ZoomVideoSDKAudioRawData!) {}
}

/// Roles and names of users, which the session's call decides.
public final class ZoomVideoSDKUserHelper: NSObject {
    /// Never.
    public func changeName(_ name: String, with user: ZoomVideoSDKUser) -> Bool { false }
    /// Never.
    public func makeHost(_ user: ZoomVideoSDKUser) -> Bool { false }
    /// Never.
    public func makeManager(_ user: ZoomVideoSDKUser) -> Bool { false }
    /// Never.
    public func removeUser(_ user: ZoomVideoSDKUser) -> Bool { false }
}

/// The session's camera, which its file starts.
public final class ZoomVideoSDKVideoHelper: NSObject {
    /// Has no effect.
    @discardableResult public func startVideo() -> ZoomVideoSDKError { .Errors_Success }
    /// Has no effect.
    @discardableResult public func stopVideo() -> ZoomVideoSDKError { .Errors_Success }
}

/// The audio of a session.
public final class ZoomVideoSDKAudioHelper: NSObject, @unchecked Sendable {
    private let room: ZoomRoom?

    init(_ room: ZoomRoom?) { self.room = room }

    /// Has the delegate get audio.
    @discardableResult public func subscribe() -> ZoomVideoSDKError { set(true) }
    /// Ends that.
    @discardableResult public func unSubscribe() -> ZoomVideoSDKError { set(false) }
    /// Has no effect.
    @discardableResult public func startAudio() -> ZoomVideoSDKError { .Errors_Success }
    /// Has no effect.
    @discardableResult public func stopAudio() -> ZoomVideoSDKError { .Errors_Success }
    /// Not possible: `mute` of the session mutes its microphone.
    @discardableResult
    public func muteAudio(_ user: ZoomVideoSDKUser?) -> ZoomVideoSDKError {
        .Errors_Dont_Support_Feature
    }
    /// Not possible: `unmute` of the session unmutes its microphone.
    @discardableResult
    public func unmuteAudio(_ user: ZoomVideoSDKUser?) -> ZoomVideoSDKError {
        .Errors_Dont_Support_Feature
    }

    private func set(_ isSubscribed: Bool) -> ZoomVideoSDKError {
        guard let room else { return .Errors_Wrong_Usage }
        room.setHears(isSubscribed)
        return .Errors_Success
    }
}

/// The session that a receiver is in. A library has one at a time.
final class ZoomRoom: PeopleListener, @unchecked Sendable {
    private static let newestLock = NSLock()
    nonisolated(unsafe) private static weak var newest: ZoomRoom?

    /// The room of the receiver that runs.
    static var current: ZoomRoom? { newestLock.withLock { newest } }

    /// Held during the callbacks of pipes.
    let lock = NSRecursiveLock()
    private let host: PluginHost
    private(set) lazy var myself = ZoomVideoSDKUser(0, "", self)
    private var users: [UInt32: ZoomVideoSDKUser] = [:]
    private var isHearing = false
    private var hasStarted = false
    private let userHelper = ZoomVideoSDKUserHelper()
    private let videoHelper = ZoomVideoSDKVideoHelper()
    private let shareHelper = ZoomVideoSDKShareHelper()
    private(set) lazy var audioHelper = ZoomVideoSDKAudioHelper(self)
    private var speaker: (any ZoomVideoSDKVirtualAudioSpeaker)?

    init(_ host: PluginHost) {
        self.host = host
        Self.newestLock.withLock { Self.newest = self }
    }

    private var delegate: (any ZoomVideoSDKDelegate)? { ZoomVideoSDK.shareInstance()?.delegate }

    func wantsChanged() { _ = host.wantsChanged() }

    func setHears(_ hears: Bool) {
        let isNews = lock.withLock {
            defer { isHearing = hears }
            return isHearing != hears
        }
        if isNews { wantsChanged() }
    }

    func take(_ context: ZoomVideoSDKSessionContext) {
        lock.withLock {
            speaker = context.virtualAudioSpeakerDelegate
            myself = ZoomVideoSDKUser(0, context.userName ?? "", self)
        }
    }

    var remoteUsers: [ZoomVideoSDKUser] {
        lock.withLock { users.sorted { $0.key < $1.key }.map(\.value) }
    }

    func start() {
        lock.withLock { hasStarted = true }
        delegate?.onSessionJoin()
        delegate?.onUserAudioStatusChanged(audioHelper, user: [myself])
        for user in remoteUsers {
            delegate?.onUserJoin(userHelper, users: [user])
            if user.isHeard { delegate?.onUserAudioStatusChanged(audioHelper, user: [user]) }
            if user.video.isOpen { delegate?.onUserVideoStatusChanged(videoHelper, user: [user]) }
            if user.share.isOpen { tellOfShare(user) }
        }
    }

    func stop() {
        lock.withLock { hasStarted = false }
        delegate?.onSessionLeave()
    }

    // MARK: People

    /// The delegate, once it knows of the session.
    private var told: (any ZoomVideoSDKDelegate)? {
        lock.withLock { hasStarted } ? delegate : nil
    }

    private func user(of track: Track) -> ZoomVideoSDKUser? {
        guard let number = track.participant?.number else { return lock.withLock { myself } }
        return lock.withLock { users[number] }
    }

    func joined(_ person: Track.Participant) {
        let user = ZoomVideoSDKUser(UInt(person.number), person.name, self)
        lock.withLock { users[person.number] = user }
        told?.onUserJoin(userHelper, users: [user])
    }

    func left(_ person: Track.Participant) {
        guard let user = lock.withLock({ users[person.number] }) else { return }
        told?.onUserLeave(userHelper, users: [user])
        lock.withLock { users[person.number] = nil }
    }

    func opened(_ track: Track) { set(track, true) }
    func closed(_ track: Track) { set(track, false) }

    private func set(_ track: Track, _ isOpen: Bool) {
        guard let user = user(of: track) else { return }
        switch track.kind {
        case .camera:
            user.video.isOpen = isOpen
            told?.onUserVideoStatusChanged(videoHelper, user: [user])
        case .share:
            user.share.isOpen = isOpen
            tellOfShare(user)
        case .microphone:
            user.isHeard = isOpen
            told?.onUserAudioStatusChanged(audioHelper, user: [user])
        default: break
        }
    }

    private func tellOfShare(_ user: ZoomVideoSDKUser) {
        let action = ZoomVideoSDKShareAction(user)
        told?.onUserShareStatusChanged(shareHelper, user: user, shareAction: action)
        told?.onUserShareStatusChanged(shareHelper, user: user, status: action.getShareStatus())
    }

    // MARK: Media

    func want(of track: Track) -> TrackWant? {
        switch track.kind {
        case .camera: return user(of: track)?.video.want(of: track)
        case .share: return user(of: track)?.share.want(of: track)
        case .microphone, .shareAudio:
            guard track.participant != nil else { return nil }
            fallthrough
        case .incoming:
            guard lock.withLock({ isHearing || speaker != nil }) else { return nil }
            let format = AudioFormat(sampleRate: 32_000, channels: 1)
            return .audio(AudioTrackWant(format: format, blockFrames: 320))
        default: return nil
        }
    }

    func receive(_ frame: borrowing OutputFrame) {
        guard let user = user(of: frame.track) else { return }
        (frame.track.kind == .share ? user.share : user.video).receive(frame)
    }

    func receive(_ block: borrowing OutputBlock) {
        let data = ZoomVideoSDKAudioRawData(block)
        let (speaker, isHearing) = lock.withLock { (self.speaker, self.isHearing) }
        let delegate = isHearing ? told : nil
        switch block.track.kind {
        case .incoming:
            speaker?.onVirtualSpeakerMixedAudioReceived(data)
            delegate?.onMixedAudioRawDataReceived(data)
        case .microphone:
            guard let user = user(of: block.track) else { return }
            speaker?.onVirtualSpeakerOneWayAudioReceived(data, user: user)
            delegate?.onOneWayAudioRawDataReceived(data, user: user)
        default:
            speaker?.onVirtualSpeakerSharedAudioReceived(data)
            delegate?.onSharedAudioRawDataReceived(data)
        }
    }
}
