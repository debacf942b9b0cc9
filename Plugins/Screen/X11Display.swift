import CX11
import Glibc
import GreenroomPlugin

/// A connection to the X server.
///
/// Sendable without the compiler's proof: one thread at a time calls it, but for ``interrupt()``, which the C
/// interface allows any.
final class X11Display: @unchecked Sendable {
    /// A monitor.
    struct Monitor: Equatable {
        var name: String
        var area: PixelArea
        var isPrimary: Bool
    }

    /// A window of a program.
    struct Window: Equatable {
        var id: UInt32
        var title: String
        var className: String
        var area: PixelArea
        var isViewable: Bool
    }

    let handle: OpaquePointer

    /// Connects.
    ///
    /// - Throws: `Status.unavailable` with the cure.
    init(_ host: PluginHost) throws(PluginError) {
        let connection: HostConnection
        do throws(SendRefusal) {
            connection = try host.connect(to: .x11)
        } catch {
            throw PluginError("there is no X server: \(error.text)", status: .unavailable)
        }
        var reason = greenroom_x11_reason()
        let key = connection.key
        let handle = key.withUnsafeBufferPointer {
            greenroom_x11_open(
                connection.descriptor, key.isEmpty ? nil : $0.baseAddress, UInt32(key.count),
                UInt32(connection.screen), &reason)
        }
        guard let handle else {
            throw PluginError(
                "the X server :\(connection.display) can't be captured: \(reason.string)",
                status: .unavailable)
        }
        self.handle = handle
    }

    deinit { greenroom_x11_close(handle) }

    /// Makes every call fail, also a running one. [any]
    func interrupt() { greenroom_x11_interrupt(handle) }

    var isLost: Bool { greenroom_x11_is_lost(handle) != 0 }

    /// The screen's size.
    var size: FrameSize { PixelArea(greenroom_x11_screen(handle)).size }

    var monitors: [Monitor] {
        list(greenroom_x11_monitor(), 32, greenroom_x11_monitors).map {
            Monitor(
                name: withUnsafeBytes(of: $0.name) { String(upToZero: $0) },
                area: PixelArea($0.area), isPrimary: $0.is_primary != 0)
        }
    }

    /// The newest first.
    var windows: [Window] {
        list(greenroom_x11_window(), 256, greenroom_x11_windows).map {
            Window(
                id: $0.id, title: withUnsafeBytes(of: $0.title) { String(upToZero: $0) },
                className: withUnsafeBytes(of: $0.class_name) { String(upToZero: $0) },
                area: PixelArea($0.area), isViewable: $0.is_viewable != 0)
        }
    }

    private func list<Entry>(
        _ empty: Entry, _ capacity: Int,
        _ read: (OpaquePointer, UnsafeMutablePointer<Entry>, UInt32) -> UInt32
    ) -> [Entry] {
        var entries = Array(repeating: empty, count: capacity)
        let count = read(handle, &entries, UInt32(capacity))
        return Array(entries.prefix(Int(count)))
    }
}

extension [X11Display.Window] {
    /// The window with an id, or else the first whose title or class is a text, or else contains it; those
    /// that can be seen first.
    func first(matching text: String) -> X11Display.Window? {
        let hexadecimal = text.hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : nil
        if let id = hexadecimal ?? UInt32(text), let window = first(where: { $0.id == id }) {
            return window
        }
        let wanted = text.lowercased()
        let visibleFirst = filter(\.isViewable) + filter { !$0.isViewable }
        func names(_ window: Element) -> [String] {
            [window.title.lowercased(), window.className.lowercased()]
        }
        return visibleFirst.first { names($0).contains(wanted) }
            ?? visibleFirst.first { names($0).contains { $0.contains(wanted) } }
    }
}

extension PixelArea {
    init(_ area: greenroom_x11_rect) {
        self.init(
            x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
    }
}

extension greenroom_x11_rect {
    init(_ area: PixelArea) {
        self.init(
            x: Int32(clamping: area.x), y: Int32(clamping: area.y),
            width: UInt32(clamping: area.width), height: UInt32(clamping: area.height))
    }
}

extension greenroom_x11_reason {
    var string: String { withUnsafeBytes(of: text) { String(upToZero: $0) } }
}

extension String {
    /// The text up to a zero, without control characters: other programs choose it.
    init(upToZero bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        self = String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
