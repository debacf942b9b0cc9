import Glibc
import GreenroomPlugin

/// A voice that trembles.
struct MyPlugin: AudioPreProcessor {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "A voice that trembles")

    struct Settings: PluginSettings {
        var rate = 5.0

        static let table: [Setting<Self>] = [
            .number("rate", \.rate, in: 1...20, unit: "Hz", live: true)
        ]
    }

    private var settings: Settings
    /// The phase of the trembling, 0 to 1. It continues from here when the rate changes.
    private var phase = 0.0

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// Edits 10 ms of 48 kHz in place.
    mutating func onPreProcessRawData(_ block: inout MutableAudioBlock) {
        let channels = block.channels
        var samples = block.samples
        for index in samples.indices {
            if index % channels == 0 {
                phase = (phase + settings.rate / 48_000).truncatingRemainder(dividingBy: 1)
            }
            samples[index] = Int16(Double(samples[index]) * (0.6 + 0.4 * sin(2 * .pi * phase)))
        }
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
