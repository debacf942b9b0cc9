import Glibc
import GreenroomPlugin

/// The brightness of every n-th frame of each participant's camera, as lines of CSV.
final class MyPlugin: RawVideoReceiver {
    static let plugin = PluginDescription(
        id: "com.example.my-plugin",
        name: "my-plugin",
        version: "0.1.0",
        summary: "The brightness of participants' cameras as lines of CSV")

    struct Settings: PluginSettings {
        var every = 15
        var file = ""

        static let table: [Setting<Self>] = [
            .integer("every", \.every, in: 1...1000, title: "Take every n-th frame", live: true),
            .path("file", \.file, title: "The CSV file; none: only the report"),
        ]
    }

    private var settings: Settings
    private let host: PluginHost
    private var file: UnsafeMutablePointer<FILE>?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    /// The subscription of a track: small frames of each participant's camera. The session's own
    /// tracks have no participant; shares are the other kind of video.
    func subscription(to track: Track) -> VideoTrackWant? {
        guard track.kind == .camera, track.participant != nil else { return nil }
        return VideoTrackWant(
            format: .i420, size: FrameSize(width: 320, height: 180), pace: .complete)
    }

    func onStart() throws {
        guard !settings.file.isEmpty else { return }
        file = fopen(settings.file, "we")
        guard file != nil else {
            throw PluginError(
                "\(settings.file): \(String(cString: strerror(errno)))", status: .unavailable)
        }
        try write("track,frame,brightness\n")
    }

    /// Takes one frame of a track that is on: I420, in the size that it subscribed to.
    func onRawDataFrameReceived(_ frame: borrowing OutputFrame) throws {
        guard frame.content == .new, frame.index % Int64(settings.every) == 0 else { return }
        let brightness = brightness(of: frame)
        host.report("brightness", brightness)
        try write("\(frame.track.name),\(frame.index),\(brightness)\n")
    }

    /// A track is on from its next frame, or off: it is muted, or its participant has left.
    func onRawDataStatusChanged(_ status: RawDataStatus, of track: Track) {
        host.log(.info, "\(track.name) is \(status)")
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
