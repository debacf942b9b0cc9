import PluginPipeWire
import GreenroomPlugin

/// The audio of other programs, as the audio of the share.
struct ScreenShareAudio: ShareAudioSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.screen-share-audio", name: "ScreenShareAudio", version: "1.0.0",
        summary: "Plays the audio of one program or of all, as a share's audio", vendor: "Greenroom"
    )

    struct Settings: PluginSettings {
        var program = ""
        var channels = 2

        static let table: [Setting<Self>] = [
            .resource(
                "program", \.program, title: "A part of the program's name; empty: all programs"),
            .integer("channels", \.channels, in: 1...2, title: "Channels"),
        ]
    }

    private let settings: Settings
    private let host: PluginHost
    private var node: PipeWireNode?
    private var loop: PlaybackLoop?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    mutating func onShareAudioInitialize() throws {
        node = try PipeWireNode(
            .tap(program: settings.program, channels: settings.channels), name: "Greenroom share",
            host: host)
    }

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
