import PluginPipeWire
import GreenroomPlugin

/// A microphone for other programs, through PipeWire.
final class VirtualMicrophone: VirtualAudioSpeaker {
    static let plugin = PluginDescription(
        id: "org.greenroom.virtual-microphone", name: "VirtualMicrophone", version: "1.0.0",
        summary: "A microphone for other programs, through PipeWire", vendor: "Greenroom")

    enum Position: String, CaseIterable {
        case mix, microphone, incoming
        case shareAudio = "share-audio"
        case fullMix = "full-mix"
    }

    struct Settings: PluginSettings {
        var name = "Greenroom"
        var position = Position.mix
        var channels = 2

        static let table: [Setting<Self>] = [
            .string("name", \.name, title: "Name of the microphone in other programs"),
            .choice("position", \.position, title: "Track to play"),
            .integer("channels", \.channels, in: 1...2, title: "Channels"),
        ]
    }

    private let settings: Settings
    private let host: PluginHost
    private var node: PipeWireNode?
    private var counts = PipeWireNode.Counts()
    /// Whether the session has the track.
    private var hasTrack = false

    init(settings: Settings, host: PluginHost) throws {
        guard !settings.name.isEmpty else {
            throw PluginError(
                "name is empty, but other programs show it: write a name", status: .badSetting)
        }
        self.settings = settings
        self.host = host
    }

    var format: AudioFormat { AudioFormat(sampleRate: 48_000, channels: settings.channels) }

    func hears(_ track: Track) -> Bool {
        guard track.participant == nil else { return false }
        hasTrack = true
        return true
    }

    var positions: Set<SpeakerPosition> {
        switch settings.position {
        case .mix: [.mixed]
        case .microphone: [.oneWay]
        case .shareAudio: [.shared]
        case .incoming: [.incoming]
        case .fullMix: [.fullMix]
        }
    }

    func onStart() throws {
        guard hasTrack else {
            throw PluginError(
                "the session has no \(settings.position.rawValue); add it to the session file",
                status: .unavailable)
        }
        node = try PipeWireNode(
            .microphone(channels: settings.channels), name: settings.name, host: host)
        report(PipeWireNode.Counts())
    }

    func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) { write(block) }
    func onVirtualSpeakerOneWayAudioReceived(_ block: borrowing OutputBlock) { write(block) }
    func onVirtualSpeakerSharedAudioReceived(_ block: borrowing OutputBlock) { write(block) }

    func onStop() {
        node?.close()
        node = nil
    }

    private func write(_ block: borrowing OutputBlock) {
        guard let node else { return }
        node.write(block.samples)
        let now = node.counts
        if now != counts { report(now) }
    }

    private func report(_ counts: PipeWireNode.Counts) {
        self.counts = counts
        host.report("samples-silent", counts.silent)
        host.report("samples-dropped", counts.dropped)
        if counts.disconnections > 0 { host.report("disconnections", counts.disconnections) }
    }
}
