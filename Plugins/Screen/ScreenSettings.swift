import GreenroomPlugin

/// What `Screen` and `ScreenCamera` capture.
struct ScreenSettings: PluginSettings {
    var window = ""
    var monitor = ""
    var region = ""
    var cursor = true

    static let table: [Setting<Self>] = [
        .string(
            "window", \.window, title: "A window's id, title or class; see 'greenroom devices'"),
        .string("monitor", \.monitor, title: "A monitor's name; see 'greenroom devices'"),
        .string("region", \.region, title: "A part of the screen: WIDTHxHEIGHT+X+Y"),
        .boolean("cursor", \.cursor, title: "Whether the cursor is visible"),
    ]
}

/// What is captured.
enum ScreenTarget: Equatable, Sendable {
    case screen
    case monitor(String)
    case region(PixelArea)
    case window(String)

    /// - Throws: The rule and the cure, if the settings name more than one target or no legal region.
    init(_ settings: ScreenSettings) throws(PluginError) {
        var targets: [ScreenTarget] = []
        if !settings.window.isEmpty { targets.append(.window(settings.window)) }
        if !settings.monitor.isEmpty { targets.append(.monitor(settings.monitor)) }
        if !settings.region.isEmpty {
            guard let area = PixelArea(settings.region) else {
                throw PluginError(
                    "region \"\(settings.region)\": write WIDTHxHEIGHT+X+Y, such as 1280x720+0+0",
                    status: .badSetting)
            }
            targets.append(.region(area))
        }
        guard targets.count < 2 else {
            throw PluginError(
                "\"window\", \"monitor\" and \"region\" exclude each other: keep one",
                status: .badSetting)
        }
        self = targets.first ?? .screen
    }
}
