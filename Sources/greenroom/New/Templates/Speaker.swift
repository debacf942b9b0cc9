import GreenroomPlugin

/// A meter: logs the loudest sample of every n-th block of the session's audio.
struct MyPlugin: VirtualAudioSpeaker {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "A meter of the session's audio")

    struct Settings: PluginSettings {
        var every = 50

        static let table: [Setting<Self>] = [
            .integer(
                "every", \.every, in: 1...1000, title: "One line in so many blocks", live: true)
        ]
    }

    private var settings: Settings
    private let host: PluginHost
    private var blocks = 0
    private var peak = 0

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The host resamples and mixes to this.
    var format: AudioFormat { AudioFormat(sampleRate: 16_000, channels: 1) }
    var blockMilliseconds: Int { 20 }

    /// Takes one block of the mix of microphone and share.
    mutating func onVirtualSpeakerMixedAudioReceived(_ block: borrowing OutputBlock) {
        let samples = block.samples
        for index in samples.indices { peak = max(peak, abs(Int(samples[index]))) }
        blocks += 1
        guard blocks % settings.every == 0 else { return }
        host.log(.info, "sample \(block.index): peak \(peak)")
        host.report("peak", peak)
        peak = 0
    }
}

/// What the host looks for in the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
