import GreenroomPlugin

/// A camera that traps at its thirtieth frame, as after a failed assumption.
struct Fatal: Camera {
    static let plugin = PluginDescription(
        id: "org.example.fatal", name: "Fatal", version: "1.0.0",
        summary: "Ends in a fatalError")

    struct Settings: PluginSettings {
        static let table: [Setting<Self>] = []
    }

    private var frames = 0

    init(settings: Settings, host: PluginHost) {}

    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        frames += 1
        guard frames < 30 else { fatalError("the shutter is stuck") }
        for plane in 0..<frame.planeCount { frame.fill(plane: plane, with: 128) }
    }
}

/// The entry of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? { exportPlugins(Fatal.self) }
