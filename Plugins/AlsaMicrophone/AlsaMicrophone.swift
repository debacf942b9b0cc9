import GreenroomALSA
import GreenroomPlugin

/// Captures audio from an ALSA PCM: a microphone, a line-in, or one end of a loopback.
///
/// The device is open only between start-send and stop-send, so that muting frees it.
struct AlsaMicrophone: VirtualAudioMic {
    static let plugin = PluginDescription(
        id: "org.greenroom.alsa-microphone", name: "AlsaMicrophone", version: "1.0.0",
        summary: "Captures from an ALSA device", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var device = "default"
        var rate = 48_000
        var channels = 1

        static let table: [Setting<Self>] = [
            .resource("device", \.device, title: "ALSA device; see 'greenroom devices'"),
            .integer(
                "rate", \.rate, in: AudioFormat.legalRates,
                title: "Sample rate; the nearest that the card has", unit: "Hz"),
            .integer("channels", \.channels, in: 1...2),
        ]
    }

    private let settings: Settings
    private var sender: AudioSender?
    private var loop: MicrophoneLoop?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
    }

    mutating func onMicInitialize(_ sender: AudioSender) throws {
        // Open and close it now, so that a wrong name is reported before the session starts.
        _ = try PCM.capturing(settings)
        self.sender = sender
    }

    mutating func onMicStartSend() throws {
        guard let sender else { return }
        loop = try MicrophoneLoop(settings: settings, sender: sender)
    }

    mutating func onMicStopSend() {
        loop?.stop()
        loop = nil
    }

    mutating func onMicUninitialized() { sender = nil }
}
