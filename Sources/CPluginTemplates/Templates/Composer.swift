import GreenroomPlugin

/// All cameras and shares side by side.
final class MyPlugin: Composer {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "All cameras and shares side by side")

    struct Settings: PluginSettings {
        var brightness = 100

        static let table: [Setting<Self>] = [
            .integer(
                "brightness", \.brightness, in: 0...100, title: "Brightness of the pictures",
                unit: "%", live: true)
        ]
    }

    /// The wanted size of every track; the host scales.
    private static let tile = FrameSize(width: 320, height: 180)

    private var settings: Settings
    /// The newest luma of each track, row by row, in the order in which they came.
    private var tiles: [(track: UInt32, luma: [UInt8])] = []

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The plugin wants small frames of every video track, at once.
    func onTrack(_ track: Track) -> TrackWant? {
        guard track.kind.isVideo else { return nil }
        if !tiles.contains(where: { $0.track == track.id }) { tiles.append((track.id, [])) }
        return .video(VideoTrackWant(size: Self.tile, fit: .crop, pace: .complete))
    }

    /// Copies a frame: it is valid until the return.
    func onVideo(_ frame: borrowing OutputFrame) {
        guard let index = tiles.firstIndex(where: { $0.track == frame.track.id }) else { return }
        var luma: [UInt8] = []
        luma.reserveCapacity(frame.size.area)
        for y in 0..<frame.height { frame.row(y).forEach { luma.append($0) } }
        tiles[index].luma = luma
    }

    func onTrackEnded(_ track: Track) { tiles.removeAll { $0.track == track.id } }

    /// Draws one frame in I420: the tiles from the left, in shades of grey.
    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        let (width, height) = (frame.width, frame.height)
        frame.fill(plane: 0, with: 16)
        frame.fill(plane: 1, with: 128)
        frame.fill(plane: 2, with: 128)
        let size = Self.tile
        for (place, tile) in tiles.enumerated() where tile.luma.count == size.area {
            let left = place * size.width
            guard left + size.width <= width else { break }
            for y in 0..<min(size.height, height) {
                var row = frame.row(y)
                for x in 0..<size.width {
                    let luma = Int(tile.luma[y * size.width + x])
                    // 16 is black.
                    row[left + x] = UInt8(16 + max(luma - 16, 0) * settings.brightness / 100)
                }
            }
        }
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
