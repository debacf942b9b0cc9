import Glibc
import GreenroomABI
import GreenroomMedia
import GreenroomSystem

/// The sockets of the user's desktop programs, as the environment names them.
package struct DesktopSockets: Sendable {
    /// A program that plugins request by name.
    package enum Program: String, CaseIterable, Sendable {
        case x11
        case wayland
        case pipewire
        case sessionBus = "session-bus"
    }

    /// An X11 display.
    package struct Display: Equatable, Sendable {
        package var path: String
        package var number: UInt32
        package var screen: UInt32
    }

    private let variable: @Sendable (String) -> String?

    /// - Parameter variable: The value of an environment variable; nil if it is not set.
    package init(
        variable: @escaping @Sendable (String) -> String? = { environmentVariable($0) }
    ) {
        self.variable = variable
    }

    /// The path of a program's socket.
    package func path(of program: Program) throws(ConnectionError) -> String {
        switch program {
        case .x11: try display().path
        case .wayland:
            try inRuntimeFolder(
                try set("WAYLAND_DISPLAY", "run greenroom in the Wayland session"))
        case .pipewire:
            try inRuntimeFolder(
                set("PIPEWIRE_REMOTE") ?? "pipewire-0", before: set("PIPEWIRE_RUNTIME_DIR"))
        case .sessionBus: try sessionBus()
        }
    }

    /// The display that `DISPLAY` names: `:1`, `:1.0`, `unix:1` or `/path/of/socket:1`.
    package func display() throws(ConnectionError) -> Display {
        let text = try set("DISPLAY", "set it to the display's name, such as :0")
        guard let match = text.wholeMatch(of: /(.*):([0-9]{1,5})(?:\.([0-9]{1,3}))?/),
            let number = UInt32(match.2), let screen = UInt32(match.3 ?? "0")
        else {
            throw ConnectionError(
                .unavailable, "DISPLAY: not a display; set it to the display's name, such as :0")
        }
        let place =
            switch match.1 {
            case "", "unix": "/tmp/.X11-unix/X\(number)"
            case let path where path.hasPrefix("/"): String(path)
            default:
                throw ConnectionError(
                    .unavailable, "DISPLAY names a display of another machine; run greenroom there")
            }
        return Display(path: place, number: number, screen: screen)
    }

    /// The file with the keys of displays; nil if the environment names none.
    package var keyFile: String? {
        self.set("XAUTHORITY") ?? self.set("HOME").map { "\($0)/.Xauthority" }
    }

    private func sessionBus() throws(ConnectionError) -> String {
        guard let addresses = set("DBUS_SESSION_BUS_ADDRESS") else {
            return try inRuntimeFolder("bus")
        }
        for address in addresses.split(separator: ";") where address.hasPrefix("unix:") {
            for part in address.dropFirst("unix:".count).split(separator: ",")
            where part.hasPrefix("path=") {
                if let path = Self.unescaped(part.dropFirst("path=".count)) { return path }
            }
        }
        throw ConnectionError(
            .unavailable,
            "DBUS_SESSION_BUS_ADDRESS names no socket with a path; use dbus-run-session, or "
                + "unset it")
    }

    /// A value of a D-Bus address, in which `%2d` is a byte.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// - Parameter folder: Takes precedence over the user's runtime folder.
    private func inRuntimeFolder(
        _ name: String, before folder: String? = nil
    ) throws(ConnectionError) -> String {
        if name.hasPrefix("/") { return name }
        guard let folder = folder ?? set("XDG_RUNTIME_DIR") else {
            throw ConnectionError(
                .unavailable, "XDG_RUNTIME_DIR is not set; log in, or set it to /run/user/UID")
        }
        return "\(folder)/\(name)"
    }

    private func set(_ name: String, _ cure: String) throws(ConnectionError) -> String {
        guard let value = set(name) else {
            throw ConnectionError(.unavailable, "\(name) is not set; \(cure)")
        }
        return value
    }

    private func set(_ name: String) -> String? {
        variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
