import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface

/// The files, devices and addresses that a live setting may name.
struct NamedResources {
    /// The values that the session file contains for the setting.
    var named: [ParameterValue]
    /// The grants of the plugin.
    var grants: Grants

    /// Whether the session file names or grants a value.
    func contain(_ setting: PluginSetting) -> Bool {
        guard case .string(let text) = setting.value else { return true }
        // An empty text names nothing.
        if text.isEmpty || named.contains(setting.value) { return true }
        if setting.type == .path {
            let folders = named.compactMap { value in
                if case .string(let path) = value, !path.isEmpty { path } else { nil }
            }
            return isFile(text, in: folders + grants.read + grants.write + grants.devices)
        }
        if text.hasPrefix("/") { return isFile(text, in: grants.read + grants.devices) }
        guard grants.network, let scheme = urlScheme(of: text) else { return false }
        return Self.networkSchemes.contains(scheme)
    }

    /// The schemes of addresses that the network grant covers. Other schemes can name local files.
    private static let networkSchemes: Set<String> = [
        "http", "https", "rtmp", "rtmps", "rtp", "rtsp", "rtsps", "srt", "tcp", "udp",
    ]

    /// Whether a file exists and is one of the places or inside of one, without symbolic links.
    private func isFile(_ path: String, in places: [String]) -> Bool {
        guard let file = resolvedPath(path) else { return false }
        return places.contains { place in
            guard let place = resolvedPath(place) else { return false }
            return file == place || file.hasPrefix(place == "/" ? "/" : place + "/")
        }
    }
}
