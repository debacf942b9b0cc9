import CGStreamer
import Glibc
import GreenroomPlugin
import Synchronization

/// GStreamer in this process: which of its plugins the room needs.
enum GStreamer {
    /// The plugins, by the Debian package that has them.
    private static let plugins: [(package: String, names: [String])] = [
        ("libgstreamer1.0-0", ["coreelements"]),
        ("gstreamer1.0-plugins-base", ["app", "opus"]),
        ("gstreamer1.0-plugins-good", ["rtp", "rtpmanager", "vpx"]),
        ("gstreamer1.0-plugins-bad", ["dtls", "openh264", "srtp", "videoparsersbad", "webrtc"]),
        ("gstreamer1.0-nice", ["nice"]),
    ]

    private static let isLoaded = Mutex(false)

    /// Starts GStreamer and loads what the room needs of it, once a process.
    ///
    /// - Throws: `PluginError` that names the missing parts and their packages.
    static func load() throws(PluginError) {
        try isLoaded.withLock { isLoaded throws(PluginError) in
            guard !isLoaded else { return }
            if let reason = greenroom_gst_start() {
                defer { free(reason) }
                throw PluginError(
                    "GStreamer does not start: \(String(cString: reason))", status: .unavailable)
            }
            let missing = plugins.compactMap { package, names in
                let absent = names.filter { !greenroom_gst_load($0) }
                return absent.isEmpty ? nil : (package, absent)
            }
            guard missing.isEmpty else {
                let files = missing.flatMap(\.1).map { "libgst\($0).so" }.joined(separator: ", ")
                let packages = missing.map(\.0).joined(separator: " ")
                throw PluginError(
                    "GStreamer lacks \(files): apt install \(packages)", status: .unavailable)
            }
            isLoaded = true
        }
    }
}
