import Glibc
import GreenroomPlugin

/// The brightness of every n-th frame of the camera, as lines of CSV.
final class MyPlugin: Output {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "The brightness of the camera as lines of CSV")

    struct Settings: PluginSettings {
        var every = 30
        var file = ""

        static let table: [Setting<Self>] = [
            .integer("every", \.every, in: 1...1000, title: "Take every n-th frame", live: true),
            .path("file", \.file, title: "The CSV file; none: only the report"),
        ]
    }

    private var settings: Settings
    private let host: PluginHost
    private var file: UnsafeMutablePointer<FILE>?
    private var frames = 0

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The requested format of a track: small frames of the camera, nothing of the others.
    func onTrack(_ track: Track) -> TrackWant? {
        guard track.kind == .camera else { return nil }
        return .video(
            VideoTrackWant(
                format: .i420, size: FrameSize(width: 320, height: 180), pace: .complete))
    }

    func onStart() throws {
        guard !settings.file.isEmpty else { return }
        file = fopen(settings.file, "we")
        guard file != nil else {
            throw PluginError(
                "\(settings.file): \(String(cString: strerror(errno)))", status: .unavailable)
        }
        try write("frame,brightness\n")
    }

    /// Takes one frame: I420, in the wanted size.
    func onVideo(_ frame: borrowing OutputFrame) throws {
        // Repeated frames, black and slates are not the camera's.
        guard frame.content == .new else { return }
        frames += 1
        guard (frames - 1) % settings.every == 0 else { return }
        let brightness = brightness(of: frame)
        host.report("brightness", brightness)
        try write("\(frame.index),\(brightness)\n")
    }

    /// The mean of luma: the first plane.
    private func brightness(of frame: borrowing OutputFrame) -> Int {
        var sum = 0
        for y in 0..<frame.height { frame.row(y).forEach { sum += Int($0) } }
        return sum / frame.size.area
    }

    private func write(_ line: String) throws {
        guard let file else { return }
        // Flushed, so that a full disk shows now and not at the end.
        guard fputs(line, file) >= 0, fflush(file) == 0 else {
            throw PluginError("\(settings.file): \(String(cString: strerror(errno)))")
        }
    }

    func onStop() {
        if let file { fclose(file) }
        file = nil
    }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(MyPlugin.self)
}
