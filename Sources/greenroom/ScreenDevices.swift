import GreenroomLifecycle
import GreenroomABI
import GreenroomSchema
import GreenroomX11

/// The monitors and windows that `Screen` can share, for `greenroom devices`.
struct ScreenDevices: DeviceList {
    private let monitors: [X11Display.Monitor]
    private let windows: [X11Display.Window]
    /// The reason that there are no monitors and windows; nil if there are.
    private let problem: String?

    /// Queries the X server.
    init() {
        let broker = ConnectionBroker(.everything)
        let connection: gr_connection
        do throws(ConnectionError) {
            connection = try broker.open(GR_CONNECT_X11)
        } catch {
            (monitors, windows, problem) = ([], [], error.description)
            return
        }
        let key = withUnsafeBytes(of: connection.key) {
            Array($0.prefix(Int(connection.key_length)))
        }
        let display = try? X11Display(
            descriptor: connection.descriptor, key: key, screen: Int(connection.screen))
        problem = display == nil ? "the X server refuses the connection." : nil
        monitors = display?.monitors ?? []
        windows = (display?.windows ?? []).filter { $0.area.width > 1 && $0.area.height > 1 }
    }

    /// The monitors and windows, each with its line for a session file.
    var lines: [String] {
        if let problem { return ["no monitors and windows: \(problem)"] }
        return monitors.flatMap { monitor in
            [
                "monitor \(monitor.name), \(monitor.area.size) at \(monitor.area.x),\(monitor.area.y)",
                Self.line("monitor", monitor.name),
            ]
        }
            + windows.flatMap { window in
                [
                    "window 0x\(String(window.id, radix: 16)), \(window.area.size)"
                        + (window.isViewable ? "" : ", hidden") + ": \(window.title)"
                        + (window.className.isEmpty ? "" : " (\(window.className))"),
                    Self.line("window", window.title.isEmpty ? window.className : window.title),
                ]
            }
    }

    private static func line(_ key: String, _ name: String) -> String {
        "  share: { plugin: Screen, settings: { \(key): \(JSON.string(name).text) } }"
    }

    /// The monitors and windows as JSON.
    var members: [(String, JSON)] {
        let missing: [(String, JSON)] = problem.map { [("screen-missing", .string($0))] } ?? []
        func place(_ area: PixelArea) -> [(String, JSON)] {
            [
                ("x", .integer(Int64(area.x))), ("y", .integer(Int64(area.y))),
                ("width", .integer(Int64(area.width))), ("height", .integer(Int64(area.height))),
            ]
        }
        return missing + [
            (
                "monitors",
                .array(
                    monitors.map {
                        .members(
                            [("name", .string($0.name)), ("primary", .boolean($0.isPrimary))]
                                + place($0.area))
                    })
            ),
            (
                "windows",
                .array(
                    windows.map {
                        .members(
                            [
                                ("id", .string("0x\(String($0.id, radix: 16))")),
                                ("title", .string($0.title)), ("class", .string($0.className)),
                                ("visible", .boolean($0.isViewable)),
                            ] + place($0.area))
                    })
            ),
        ]
    }
}
