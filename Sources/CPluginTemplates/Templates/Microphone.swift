import Glibc
import GreenroomPlugin

/// A sine.
struct MyPlugin: Microphone {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "A sine of any frequency")

    struct Settings: PluginSettings {
        var frequency = 440.0

        static let table: [Setting<Self>] = [
            .number("frequency", \.frequency, in: 20...20_000, unit: "Hz", live: true)
        ]
    }

    private var settings: Settings
    /// The phase of the wave, 0 to 1. It continues from here when the frequency changes,
    /// so that nothing clicks.
    private var phase = 0.0

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    var format: AudioFormat { AudioFormat(sampleRate: 48_000, channels: 1) }

    /// Makes the next samples, 10 ms of them.
    mutating func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        let step = settings.frequency / Double(format.sampleRate)
        for index in samples.indices {
            samples[index] = Int16(6000 * sin(2 * .pi * phase))
            phase = (phase + step).truncatingRemainder(dividingBy: 1)
        }
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
