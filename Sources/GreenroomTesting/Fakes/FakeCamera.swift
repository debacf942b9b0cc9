public import GreenroomPlugin

/// A grey camera, each frame brighter than the one before: its luma is 16 + index % 200.
public struct FakeCamera: Camera {
    /// Describes the plugin.
    public static let plugin = PluginDescription(
        id: "io.greenroom.testing.camera", name: "FakeCamera", version: "1.0.0",
        summary: "Grey frames that tell their number")

    /// The settings.
    public struct Settings: PluginSettings {
        /// The number of frames before the camera gives up; 0 for never.
        public var frames = 0

        /// Makes the defaults.
        public init() {}

        /// The settings' table.
        public static let table: [Setting<Self>] = [
            .integer("frames", \.frames, in: 0...1_000_000)
        ]
    }

    private let settings: Settings
    private let host: PluginHost

    /// Makes the camera.
    public init(settings: Settings, host: PluginHost) {
        (self.settings, self.host) = (settings, host)
    }

    /// Draws a frame.
    public func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        if settings.frames > 0, time.index >= settings.frames {
            throw PluginError("the fake camera has sent its \(settings.frames) frames")
        }
        frame.fill(plane: 0, with: UInt8(16 + time.index % 200))
        frame.fill(plane: 1, with: 128)
        frame.fill(plane: 2, with: 128)
    }
}
