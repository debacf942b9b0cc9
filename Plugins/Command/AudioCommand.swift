import GreenroomFiles
import GreenroomPlugin
import PluginProcess

/// The settings of a microphone or a share's audio.
struct AudioCommandSettings: PluginSettings {
    var command = ""
    var path = ""
    var rate = 48_000
    var channels = 2
    var process = ""

    static let table: [Setting<Self>] = [
        .resource(
            "command", \.command,
            title:
                "Program and arguments, as a list. The program writes WAV, or 16-bit little-endian "
                + "samples, to standard output"),
        .path("path", \.path, title: "A named pipe or /dev/stdin instead of a command"),
        .integer(
            "rate", \.rate, in: AudioFormat.legalRates, title: "Sample rate without a WAV header",
            unit: "Hz"),
        .integer("channels", \.channels, in: 1...2, title: "Channels without a WAV header"),
        .string(
            "process", \.process,
            title: "Name of an output Command whose standard output is played"),
    ]
}

/// Plays audio that a command writes: the work of ``CommandMicrophone`` and ``CommandShareAudio``.
private final class AudioCommand {
    /// The stream to play; nil to play the output of the process that the settings name.
    private let place: StreamPlace?
    private let process: String
    private let plain: AudioFormat
    private let host: PluginHost
    private var loop: SourceLoop?
    private var pump: AudioPump?

    init(_ settings: AudioCommandSettings, host: PluginHost) throws {
        process = settings.process
        guard process.isEmpty || settings.command.isEmpty && settings.path.isEmpty else {
            throw PluginError(
                "'process' is set with 'command' or 'path'; remove one", status: .badSetting)
        }
        place =
            process.isEmpty
            ? try StreamPlace(command: settings.command, path: settings.path) : nil
        plain = AudioFormat(sampleRate: settings.rate, channels: settings.channels)
        self.host = host
    }

    func start(_ sender: AudioSender) throws {
        guard let place else {
            var voice = ProcessVoice(of: process)
            pump = try AudioPump(sender: sender, format: plain) { samples, _ in
                voice.fill(&samples)
            }
            return
        }
        // A command that can't be started is an error of the start.
        loop = try SourceLoop(
            place, opened: try SourceStream(place, host: host), host: host,
            player: Playing(plain: plain, sender: sender))
    }

    func stop() {
        loop?.end()
        pump?.stop()
        (loop, pump) = (nil, nil)
    }

    private struct Playing: StreamPlayer {
        let plain: AudioFormat
        let sender: AudioSender

        func play(_ stream: SourceStream, _ stop: StopSignal, isFirst: Bool) throws {
            var bytes = StreamBytes(stream: stream, stop: stop) { -1 }
            guard var audio = try PCMStream(&bytes, plain: plain, name: stream.name) else { return }
            let frames = max(audio.format.sampleRate / 100, 1)
            while case let samples = try audio.read(frames, from: &bytes), !samples.isEmpty {
                // The host sets the pace: a command that is faster waits.
                try sender.send(samples, format: audio.format)
            }
        }

        func pause(until time: Int64) -> Bool { sender.host.wait(untilNanoseconds: time) == .ok }
    }
}

/// Plays audio that a command writes to its standard output as a microphone.
final class CommandMicrophone: VirtualAudioMic {
    static let plugin = PluginDescription(
        id: "org.greenroom.command-microphone", name: "Command", version: "1.0.0",
        summary: "Plays WAV or PCM that a command writes as a microphone", vendor: "Greenroom")

    private let audio: AudioCommand
    private var sender: AudioSender?

    init(settings: AudioCommandSettings, host: PluginHost) throws {
        audio = try AudioCommand(settings, host: host)
    }

    func onMicInitialize(_ sender: AudioSender) throws { self.sender = sender }

    func onMicStartSend() throws {
        if let sender { try audio.start(sender) }
    }

    func onMicStopSend() { audio.stop() }

    func onMicUninitialized() { sender = nil }
}

/// Plays audio that a command writes to its standard output as the audio of a share.
final class CommandShareAudio: ShareAudioSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.command-share-audio", name: "Command", version: "1.0.0",
        summary: "Plays WAV or PCM that a command writes as a share's audio", vendor: "Greenroom")

    private let audio: AudioCommand

    init(settings: AudioCommandSettings, host: PluginHost) throws {
        audio = try AudioCommand(settings, host: host)
    }

    func onStartSendAudio(_ sender: AudioSender) throws { try audio.start(sender) }

    func onStopSendAudio() { audio.stop() }
}
