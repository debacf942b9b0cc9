public import GreenroomPlugin

/// A microphone whose samples all have one value.
public struct FakeMicrophone: Microphone {
    /// Describes the plugin.
    public static let plugin = PluginDescription(
        id: "io.greenroom.testing.microphone", name: "FakeMicrophone", version: "1.0.0",
        summary: "Samples of one value")

    /// The settings.
    public struct Settings: PluginSettings {
        /// The value of every sample.
        public var level = 1000

        /// Makes the defaults.
        public init() {}

        /// The settings' table.
        public static let table: [Setting<Self>] = [
            .integer("level", \.level, in: -32_768...32_767, live: true)
        ]
    }

    private var settings: Settings

    /// Makes the microphone.
    public init(settings: Settings, host: PluginHost) { self.settings = settings }

    /// Follows the settings.
    public mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// Makes samples.
    public func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {
        for index in samples.indices { samples[index] = Int16(clamping: settings.level) }
    }
}
