import PluginPipeWire
import GreenroomPlugin

/// A loudspeaker for other programs, through PipeWire: what they play is the session's microphone.
///
/// Other programs see it while the session lasts, even while the microphone is muted. If PipeWire ends,
/// it is back when PipeWire is and the microphone sends.
struct VirtualSpeaker: VirtualAudioMic {
    static let plugin = PluginDescription(
        id: "org.greenroom.virtual-speaker", name: "VirtualSpeaker", version: "1.0.0",
        summary: "Audio of other programs, as a microphone, through PipeWire",
        vendor: "Greenroom")

    private let settings: SpeakerSettings
    private let host: PluginHost
    private var node: PipeWireNode?
    private var sender: AudioSender?
    private var loop: PlaybackLoop?

    init(settings: SpeakerSettings, host: PluginHost) throws {
        try settings.check()
        self.settings = settings
        self.host = host
    }

    mutating func onMicInitialize(_ sender: AudioSender) throws {
        node = try settings.node(host)
        self.sender = sender
    }

    mutating func onMicStartSend() throws {
        guard let node, let sender else { return }
        loop = try PlaybackLoop(node, channels: settings.channels, sender: sender)
    }

    mutating func onMicStopSend() {
        loop?.join()
        loop = nil
    }

    mutating func onMicUninitialized() {
        node?.close()
        node = nil
        sender = nil
    }
}

/// A loudspeaker for other programs, whose audio becomes the audio of the session's share.
struct VirtualSpeakerShareAudio: ShareAudioSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.virtual-speaker-share-audio", name: "VirtualSpeakerShareAudio",
        version: "1.0.0", summary: "Audio of other programs, as a share's audio, through PipeWire",
        vendor: "Greenroom")

    private let settings: SpeakerSettings
    private let host: PluginHost
    private var node: PipeWireNode?
    private var loop: PlaybackLoop?

    init(settings: SpeakerSettings, host: PluginHost) throws {
        try settings.check()
        self.settings = settings
        self.host = host
    }

    mutating func onShareAudioInitialize() throws { node = try settings.node(host) }

    mutating func onStartSendAudio(_ sender: AudioSender) throws {
        guard let node else { return }
        loop = try PlaybackLoop(node, channels: settings.channels, sender: sender)
    }

    mutating func onStopSendAudio() {
        loop?.join()
        loop = nil
    }

    mutating func onShareAudioUninitialized() {
        node?.close()
        node = nil
    }
}

/// The settings of both.
struct SpeakerSettings: PluginSettings {
    var name = "Greenroom"
    var channels = 2

    static let table: [Setting<Self>] = [
        .string("name", \.name, title: "Name of the loudspeaker in other programs"),
        .integer("channels", \.channels, in: 1...2, title: "Channels"),
    ]

    func check() throws {
        guard !name.isEmpty else {
            throw PluginError(
                "name is empty, but other programs show it: write a name", status: .badSetting)
        }
    }

    func node(_ host: PluginHost) throws -> PipeWireNode {
        try PipeWireNode(.loudspeaker(channels: channels), name: name, host: host)
    }
}
