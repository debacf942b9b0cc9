public import GreenroomPlugin

/// A filter that makes the first row of each frame white.
public struct FakeFilter: VideoSourcePreProcessor {
    /// Describes the plugin.
    public static let plugin = PluginDescription(
        id: "io.greenroom.testing.filter", name: "FakeFilter", version: "1.0.0",
        summary: "A white first row")

    /// No settings.
    public struct Settings: PluginSettings {
        /// Makes the defaults.
        public init() {}

        /// The settings' table.
        public static let table: [Setting<Self>] = []
    }

    /// Makes the filter.
    public init(settings: Settings, host: PluginHost) {}

    /// Edits a frame.
    public func onPreProcessRawData(_ frame: inout MutableFrame) {
        var row = frame.row(0)
        for x in row.indices { row[x] = 235 }
    }
}
