import Glibc
import GreenroomPlugin
import GreenroomX11

/// The settings of `Screen` and `ScreenCamera`.
struct ScreenSettings: PluginSettings {
    var window = ""
    var monitor = ""
    var region = ""
    var cursor = true
    var through = CaptureMethod.auto
    var token = ""

    static let table: [Setting<Self>] = [
        .resource(
            "window", \.window, title: "A window's id, title or class; see 'greenroom devices'"),
        .resource("monitor", \.monitor, title: "A monitor's name; see 'greenroom devices'"),
        .string("region", \.region, title: "A part of the screen: WIDTHxHEIGHT+X+Y"),
        .boolean("cursor", \.cursor, title: "Whether the cursor is visible"),
        .choice(
            "through", \.through,
            title: "The X server, or the desktop's dialog; auto is the dialog on Wayland"),
        .path(
            "token", \.token,
            title: "File that stores the selection of the desktop's dialog for the next run"),
    ]
}

/// The part of the desktop to capture.
enum ScreenTarget: Equatable, Sendable {
    case screen
    case monitor(String)
    case region(PixelArea)
    case window(String)
    /// The user's choice in the desktop's dialog.
    case portal

    /// Whether the user's session is one of Wayland.
    private static var isOnWayland: Bool {
        getenv("WAYLAND_DISPLAY") != nil
            || getenv("XDG_SESSION_TYPE").map { String(cString: $0) } == "wayland"
    }

    /// - Throws: The rule and the fix, if the settings name more than one target or no legal region.
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
        guard targets.isEmpty || settings.through != .portal else {
            throw PluginError(
                "the desktop's dialog asks what to share: leave \"window\", \"monitor\" and "
                    + "\"region\" out, or use through: x11", status: .badSetting)
        }
        switch settings.through {
        case .portal: self = .portal
        case .auto where targets.isEmpty && Self.isOnWayland: self = .portal
        case .auto, .x11: self = targets.first ?? .screen
        }
    }
}

/// The program that captures.
enum CaptureMethod: String, CaseIterable, Sendable {
    case auto
    case x11
    case portal
}
