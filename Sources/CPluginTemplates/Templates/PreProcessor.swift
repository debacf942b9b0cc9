import GreenroomPlugin

/// The brown of old photographs.
struct MyPlugin: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "The brown of old photographs")

    struct Settings: PluginSettings {
        var strength = 80

        static let table: [Setting<Self>] = [
            .integer("strength", \.strength, in: 0...100, unit: "%", live: true)
        ]
    }

    private var settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// Edits one frame in place: I420, upright, in the size that the session agreed on.
    func onPreProcessRawData(_ frame: inout MutableFrame) {
        blend(plane: 1, of: &frame, with: 105)
        blend(plane: 2, of: &frame, with: 148)
    }

    private func blend(plane: Int, of frame: inout MutableFrame, with value: Int) {
        let strength = settings.strength
        for y in 0..<frame.geometry(ofPlane: plane).rows {
            var row = frame.row(y, ofPlane: plane)
            for x in row.indices {
                row[x] = UInt8((Int(row[x]) * (100 - strength) + value * strength) / 100)
            }
        }
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
