import GreenroomPlugin

struct Plasma: Camera {
    static let plugin = PluginDescription(
        id: "com.example.plasma", name: "Plasma", version: "1.0.0",
        summary: "Waves of light that drift")

    struct Settings: PluginSettings {
        var speed = 1.0

        static let table: [Setting<Self>] = [
            .number("speed", \.speed, in: 0...10, live: true)
        ]
    }

    var settings: Settings

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        let shift = Int(time.seconds * settings.speed * 60)
        for y in 0..<frame.height {
            var row = frame.row(y)
            for x in row.indices { row[x] = UInt8(16 + ((x + shift) ^ (y + shift)) % 220) }
        }
        frame.fill(plane: 1, with: 160)
        frame.fill(plane: 2, with: 110)
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Plasma.self) }
