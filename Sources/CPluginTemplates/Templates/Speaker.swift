import Glibc
import GreenroomPlugin

/// The loudness of the session's audio, as lines of CSV.
final class MyPlugin: VirtualAudioSpeaker {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "The loudness of the session's audio as lines of CSV")

    struct Settings: PluginSettings {
        var every = 10
        var file = ""

        static let table: [Setting<Self>] = [
            .integer("every", \.every, in: 1...1000, title: "Take every n-th block", live: true),
            .path("file", \.file, title: "The CSV file; none: only the report"),
        ]
    }

    private var settings: Settings
    private let host: PluginHost
    private var file: UnsafeMutablePointer<FILE>?
    private var blocks = 0

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The track that the plugin hears: the mix. Others are each person, the audio of shares, and
    /// the audio that comes in with a call.
    var positions: Set<SpeakerPosition> { [.mixed] }

    /// The form in which it hears that: the host resamples and mixes.
    var format: AudioFormat { AudioFormat(sampleRate: 16_000, channels: 1) }
    var blockMilliseconds: Int { 20 }

    func onStart() throws {
        guard !settings.file.isEmpty else { return }
        file = fopen(settings.file, "we")
        guard file != nil else {
            throw PluginError(
                "\(settings.file): \(String(cString: strerror(errno)))", status: .unavailable)
        }
        try write("sample,loudness\n")
    }

    /// Takes one block: 20 ms at 16000 Hz.
    func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) throws {
        blocks += 1
        guard (blocks - 1) % settings.every == 0 else { return }
        let loudness = loudness(of: block)
        host.report("loudness", loudness)
        try write("\(block.index),\(loudness)\n")
    }

    /// The root of the mean square.
    private func loudness(of block: borrowing OutputBlock) -> Int {
        let samples = block.samples
        var sum = 0
        for index in samples.indices { sum += Int(samples[index]) * Int(samples[index]) }
        return Int(Double(sum / max(samples.count, 1)).squareRoot())
    }

    private func write(_ line: String) throws {
        guard let file else { return }
        // Flushed, so that a full disk shows now and not at the end.
        guard fputs(line, file) >= 0, fflush(file) == 0 else {
            throw PluginError("\(settings.file): \(String(cString: strerror(errno)))")
        }
    }

    func onStop() {
        if let file { fclose(file) }
        file = nil
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
