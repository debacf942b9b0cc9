import GreenroomPlugin

/// Stripes of light that drift across the frame.
struct MyPlugin: Camera {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "Stripes of light that drift across the frame")

    struct Settings: PluginSettings {
        var stripes = 8

        static let table: [Setting<Self>] = [
            .integer(
                "stripes", \.stripes, in: 1...50, title: "Stripes across the frame",
                live: true)
        ]
    }

    private var settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// Draws one frame in I420, for its time and in its size, which may change between frames.
    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        // Asked for here: while a row is at hand, the frame itself is out of reach.
        let (width, height) = (frame.width, frame.height)
        let slope = 220_000 * settings.stripes / width
        let shift = Int(time.seconds * 110)
        for y in 0..<height {
            var row = frame.row(y)
            for x in row.indices {
                // Luma: 16 is black, 235 is white.
                row[x] = UInt8(16 + ((x + y) * slope / 1000 + shift) % 220)
            }
        }
        frame.fill(plane: 1, with: 160)
        frame.fill(plane: 2, with: 110)
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
