internal import GreenroomMedia
internal import Synchronization

/// The arguments of initialize.
struct Initialization {
    var video: VideoSender?
    var audio: AudioSender?
    var offer: ReceivedOffer?
}

/// A plugin's instance behind the C border, whatever its type and kind.
class AnyInstance {
    /// Returns the answer to the offer, if the kind has one.
    func initialize(_ input: Initialization) throws -> VideoAnswer? { nil }
    /// Returns nil to accept the suggestion; throws ``OfferIgnored`` to continue as before.
    func propertyChange(_ offer: ReceivedOffer) throws -> VideoAnswer? { throw OfferIgnored() }
    func startSend() throws {}
    func stopSend() {}
    func uninitialize() {}
    /// Filters only.
    func change(_ frames: VideoCapability) throws {}
    func process(_ frame: inout MutableFrame) throws {
        throw PluginError("this plugin does not edit frames", status: .unsupported)
    }
    /// The declaration of an audio filter; nil for the other kinds.
    var audioEditing: AudioEditing? { nil }
    /// Edits a block, in an audio filter.
    func process(_ block: inout MutableAudioBlock) throws {
        throw PluginError("this plugin does not edit audio", status: .unsupported)
    }
    /// Returns what an output wants of a track; nil if none.
    func track(_ track: Track) throws -> TrackWant? { nil }
    func video(_ frame: borrowing OutputFrame) throws {}
    func audio(_ block: borrowing OutputBlock) throws {}
    /// Tells an output that a track of a participant has ended.
    func trackEnded(_ track: Track) {}
    /// Says to a call what is needed of a participant's track.
    func demand(_ demand: TrackDemand) {}
    func change(_ name: String, to value: SettingValue) throws {}
    /// Passes an event of the session to a plugin that may control it.
    func sessionEvent(_ json: String) {}
}

/// The error of the default property change: the plugin does not implement it.
struct OfferIgnored: Error {}

/// A plugin and its settings of now.
struct InstanceState<P: Plugin> {
    var plugin: P
    var settings: P.Settings
    let table: [Setting<P.Settings>]
}

/// An instance of a plugin type.
///
/// The mutex keeps the promise that no two calls on a plugin overlap. The host already calls
/// one at a time but for live settings of a pre-processor, so as a rule no call waits.
class Instance<P: Plugin>: AnyInstance {
    fileprivate let state: Mutex<InstanceState<P>>

    init(_ state: sending InstanceState<P>) { self.state = Mutex(state) }

    override func change(_ name: String, to value: SettingValue) throws {
        try state.withLock { state in
            guard state.table.contains(where: { $0.name == name && $0.parameter.isLive }) else {
                throw PluginError(
                    "setting '\(name)' cannot change while the plugin lives", status: .badSetting)
            }
            try state.settings.apply(value, to: name, of: state.table)
            state.plugin.onSettingsChange(state.settings)
        }
    }

    override func sessionEvent(_ json: String) {
        state.withLock { $0.plugin.onSessionEvent(json) }
    }
}

/// Maps the lifecycle to the callbacks of a video source.
class VideoSourceInstance<P: VideoSource>: Instance<P> {
    override func initialize(_ input: Initialization) throws -> VideoAnswer? {
        guard let sender = input.video, let offer = input.offer else { throw PluginError.noSender }
        return try state.withLock { state in
            try state.plugin.onInitialize(
                sender, supported: offer.rows, suggested: offer.suggested)
        }
    }

    override func propertyChange(_ offer: ReceivedOffer) throws -> VideoAnswer? {
        try state.withLock { state in
            try state.plugin.onPropertyChange(supported: offer.rows, suggested: offer.suggested)
        }
    }

    override func startSend() throws { try state.withLock { try $0.plugin.onStartSend() } }
    override func stopSend() { state.withLock { $0.plugin.onStopSend() } }
    override func uninitialize() { state.withLock { $0.plugin.onUninitialized() } }
}

/// Maps the lifecycle to the callbacks of a composer, which is a video source that receives media.
final class ComposerInstance<Content: Composer>: VideoSourceInstance<PumpedVideoSource<Content>> {
    override func track(_ track: Track) throws -> TrackWant? {
        try state.withLock { try $0.plugin.onTrack(track) }
    }

    override func video(_ frame: borrowing OutputFrame) throws {
        try state.withLock { try $0.plugin.onVideo(frame) }
    }

    override func audio(_ block: borrowing OutputBlock) throws {
        try state.withLock { try $0.plugin.onAudio(block) }
    }

    override func trackEnded(_ track: Track) { state.withLock { $0.plugin.onTrackEnded(track) } }
}

/// Maps the lifecycle to the callbacks of a share source, which gets its sender at the start.
final class ShareSourceInstance<P: ShareSource>: Instance<P> {
    private var sender: ShareSender?

    override func initialize(_ input: Initialization) throws -> VideoAnswer? {
        guard let sender = input.video, let offer = input.offer else { throw PluginError.noSender }
        let answer = try state.withLock { state in
            try state.plugin.onShareInitialize(limit: offer.suggested)
        }
        self.sender = sender
        return answer
    }

    override func propertyChange(_ offer: ReceivedOffer) throws -> VideoAnswer? {
        try state.withLock { try $0.plugin.onSharePropertyChange(limit: offer.suggested) }
    }

    override func startSend() throws {
        guard let sender else { throw PluginError.noSender }
        try state.withLock { try $0.plugin.onShareSendStarted(sender) }
    }

    override func stopSend() { state.withLock { $0.plugin.onShareSendStopped() } }

    override func uninitialize() {
        sender = nil
        state.withLock { $0.plugin.onShareUninitialized() }
    }
}

/// Maps the lifecycle to the callbacks of a virtual mic.
final class VirtualAudioMicInstance<P: VirtualAudioMic>: Instance<P> {
    override func initialize(_ input: Initialization) throws -> VideoAnswer? {
        guard let sender = input.audio else { throw PluginError.noSender }
        try state.withLock { try $0.plugin.onMicInitialize(sender) }
        return nil
    }

    override func startSend() throws { try state.withLock { try $0.plugin.onMicStartSend() } }
    override func stopSend() { state.withLock { $0.plugin.onMicStopSend() } }
    override func uninitialize() { state.withLock { $0.plugin.onMicUninitialized() } }
}

/// Maps the lifecycle to the callbacks of a share's audio, which gets its sender at the start.
final class ShareAudioSourceInstance<P: ShareAudioSource>: Instance<P> {
    private var sender: AudioSender?

    override func initialize(_ input: Initialization) throws -> VideoAnswer? {
        guard let sender = input.audio else { throw PluginError.noSender }
        try state.withLock { try $0.plugin.onShareAudioInitialize() }
        self.sender = sender
        return nil
    }

    override func startSend() throws {
        guard let sender else { throw PluginError.noSender }
        try state.withLock { try $0.plugin.onStartSendAudio(sender) }
    }

    override func stopSend() { state.withLock { $0.plugin.onStopSendAudio() } }

    override func uninitialize() {
        sender = nil
        state.withLock { $0.plugin.onShareAudioUninitialized() }
    }
}

/// Maps the lifecycle to the callbacks of a pre-processor.
final class PreProcessorInstance<P: VideoSourcePreProcessor>: Instance<P> {
    override func initialize(_ input: Initialization) throws -> VideoAnswer? {
        guard let offer = input.offer else { throw PluginError.noSender }
        try state.withLock { try $0.plugin.onPreProcessInitialize(offer.suggested) }
        return nil
    }

    override func startSend() throws { try state.withLock { try $0.plugin.onPreProcessStart() } }
    override func stopSend() { state.withLock { $0.plugin.onPreProcessStop() } }
    override func uninitialize() { state.withLock { $0.plugin.onPreProcessUninitialized() } }

    override func change(_ frames: VideoCapability) throws {
        try state.withLock { try $0.plugin.onPreProcessPropertyChange(frames) }
    }

    override func process(_ frame: inout MutableFrame) throws {
        try state.withLock { try $0.plugin.onPreProcessRawData(&frame) }
    }
}

/// Maps the lifecycle to the callbacks of an output.
class OutputInstance<P: Output>: Instance<P> {
    override func track(_ track: Track) throws -> TrackWant? {
        try state.withLock { try $0.plugin.onTrack(track) }
    }

    override func startSend() throws { try state.withLock { try $0.plugin.onStart() } }

    override func video(_ frame: borrowing OutputFrame) throws {
        try state.withLock { try $0.plugin.onVideo(frame) }
    }

    override func audio(_ block: borrowing OutputBlock) throws {
        try state.withLock { try $0.plugin.onAudio(block) }
    }

    override func trackEnded(_ track: Track) { state.withLock { $0.plugin.onTrackEnded(track) } }
    override func stopSend() { state.withLock { $0.plugin.onStop() } }
    override func uninitialize() { state.withLock { $0.plugin.onUninitialized() } }
}

/// Maps the lifecycle to the callbacks of an audio pre-processor.
final class AudioPreProcessorInstance<P: AudioPreProcessor>: Instance<P> {
    override var audioEditing: AudioEditing? { state.withLock { $0.plugin.editing } }

    override func startSend() throws { try state.withLock { try $0.plugin.onPreProcessStart() } }
    override func stopSend() { state.withLock { $0.plugin.onPreProcessStop() } }

    override func process(_ block: inout MutableAudioBlock) throws {
        try state.withLock { try $0.plugin.onPreProcessRawData(&block) }
    }
}

/// Maps the lifecycle to the callbacks of a call.
final class CallInstance<P: Call>: OutputInstance<P> {
    override func demand(_ demand: TrackDemand) {
        state.withLock { $0.plugin.onDemand(demand) }
    }
}

extension PluginError {
    fileprivate static var noSender: PluginError {
        PluginError(
            "the host handed over neither a usable sender nor an offer", status: .badArgument)
    }
}
