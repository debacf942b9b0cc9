import GreenroomPlugin

/// A page of text that scrolls.
struct MyPlugin: Screen {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "A page of text that scrolls")

    struct Settings: PluginSettings {
        var lines = 30

        static let table: [Setting<Self>] = [
            .integer("lines", \.lines, in: 5...100, title: "Lines on the page", live: true)
        ]
    }

    private var settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The format of screen captures: blue, green, red and a byte that is ignored.
    var format: PixelFormat { .bgra }

    /// Draws one frame, for its time and in its size, which may change between frames.
    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        let (width, height) = (frame.width, frame.height)
        let scrolled = Int(time.seconds * Double(height) / 10)
        for y in 0..<height {
            var row = frame.row(y)
            row.update(repeating: 250)  // Paper.
            let half = 2 * settings.lines * (y + scrolled) / height
            guard half % 2 == 0 else { continue }  // Between two lines.
            let start = width / 10
            let end = width * (50 + half * 37 % 40) / 100
            for byte in 4 * start..<4 * end { row[byte] = 60 }  // Ink.
        }
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
