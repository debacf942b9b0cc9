internal import CX11
import Glibc
package import GreenroomMedia

/// The reason why an X server can't be captured.
package struct X11Error: Error, Equatable, CustomStringConvertible {
    /// The rule and the fix.
    package var description: String

    package init(description: String) { self.description = description }
}

/// A connection to an X server.
///
/// Sendable without the compiler's proof: one thread at a time calls it, but for ``interrupt()``, which the C
/// interface allows any.
package final class X11Display: @unchecked Sendable {
    /// A monitor.
    package struct Monitor: Equatable, Sendable {
        package var name: String
        package var area: PixelArea
        package var isPrimary: Bool
    }

    /// A window of a program.
    package struct Window: Equatable, Sendable {
        package var id: UInt32
        package var title: String
        package var className: String
        package var area: PixelArea
        package var isViewable: Bool

        package init(
            id: UInt32, title: String, className: String, area: PixelArea, isViewable: Bool
        ) {
            self.id = id
            self.title = title
            self.className = className
            self.area = area
            self.isViewable = isViewable
        }
    }

    /// The events since the last call.
    package struct Changes: Sendable {
        /// Around all pixels that changed, in what is watched; nil if none.
        package var damage: PixelArea?
        package var hasNewSize: Bool
        /// Whether monitors changed.
        package var hasNewLayout: Bool
        package var hasNewCursor: Bool
        package var wasHidden: Bool
        package var wasShown: Bool
        package var wasClosed: Bool
    }

    private let handle: OpaquePointer

    /// Speaks X11 over a connected descriptor, which belongs to the display from now on.
    ///
    /// - Parameters:
    ///   - key: An MIT-MAGIC-COOKIE-1; empty for none.
    ///   - screen: The number of the screen.
    package init(descriptor: Int32, key: [UInt8], screen: Int) throws(X11Error) {
        var reason = greenroom_x11_reason()
        let handle = key.withUnsafeBufferPointer {
            greenroom_x11_open(
                descriptor, key.isEmpty ? nil : $0.baseAddress, UInt32(key.count),
                UInt32(clamping: screen), &reason)
        }
        guard let handle else { throw X11Error(description: reason.string) }
        self.handle = handle
    }

    deinit { greenroom_x11_close(handle) }

    /// Makes every call fail, including a running one. [any]
    package func interrupt() { greenroom_x11_interrupt(handle) }

    /// Whether the connection is lost.
    package var isLost: Bool { greenroom_x11_is_lost(handle) != 0 }

    // MARK: Monitors and windows

    /// The screen's size.
    package var size: FrameSize { PixelArea(greenroom_x11_screen(handle)).size }

    /// The monitors.
    package var monitors: [Monitor] {
        list(greenroom_x11_monitor(), 32, greenroom_x11_monitors).map {
            Monitor(
                name: withUnsafeBytes(of: $0.name) { String(upToZero: $0) },
                area: PixelArea($0.area), isPrimary: $0.is_primary != 0)
        }
    }

    /// The windows of programs, the newest first.
    package var windows: [Window] {
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

    // MARK: Watching

    /// Watches the screen instead of what was watched.
    package func watchScreen() throws(X11Error) {
        var reason = greenroom_x11_reason()
        guard greenroom_x11_watch_screen(handle, &reason) == 0 else {
            throw X11Error(description: reason.string)
        }
    }

    /// Watches a window instead of what was watched.
    package func watch(_ window: Window) throws(X11Error) {
        var reason = greenroom_x11_reason()
        guard greenroom_x11_watch_window(handle, window.id, &reason) == 0 else {
            throw X11Error(description: reason.string)
        }
    }

    /// Reads what has happened, without waiting.
    package func changes() -> Changes {
        let events = greenroom_x11_poll(handle)
        return Changes(
            damage: events.is_damaged != 0 ? PixelArea(events.damage) : nil,
            hasNewSize: events.has_new_size != 0, hasNewLayout: events.has_new_layout != 0,
            hasNewCursor: events.has_new_cursor != 0, wasHidden: events.was_hidden != 0,
            wasShown: events.was_shown != 0, wasClosed: events.was_closed != 0)
    }

    /// The size of what is watched; nil if it is hidden or closed.
    package func measure() -> FrameSize? {
        var area = greenroom_x11_rect()
        return greenroom_x11_measure(handle, &area) == 0 ? PixelArea(area).size : nil
    }

    // MARK: Pixels

    /// Makes an image that the server writes to; nil if it can't: ``fetch(_:from:to:)`` then needs one of this process.
    ///
    /// - Parameter memory: A sealed memory file, which belongs to the display from now on.
    package func share(_ memory: Int32, byteCount: Int) -> CapturedImage? {
        guard let image = CapturedImage(mapping: memory, capacity: byteCount) else {
            close(memory)
            return nil
        }
        return greenroom_x11_attach(handle, memory) == 0 ? image : nil
    }

    /// Copies rows of an area of what is watched to the image of that area. Later changes are reported again.
    ///
    /// - Returns: Whether it could: what is watched may be closed.
    package func fetch(
        _ rows: Range<Int>, of area: PixelArea, to image: CapturedImage
    ) -> Bool {
        let part = PixelArea(
            x: area.x, y: area.y + rows.lowerBound, width: area.width, height: rows.count)
        return greenroom_x11_fetch(
            handle, greenroom_x11_rect(part), rows.lowerBound * image.strideBytes,
            image.bytes(fromRow: rows.lowerBound)) == 0
    }

    /// The cursor's picture; empty if there is none.
    package func cursor() -> CursorPicture {
        var read = greenroom_x11_cursor()
        guard greenroom_x11_read_cursor(handle, &read) == 0, let pixels = read.pixels else {
            return CursorPicture()
        }
        defer { free(pixels) }
        let (width, height) = (Int(read.width), Int(read.height))
        return CursorPicture(
            width: width, height: height, hotX: Int(read.hot_x), hotY: Int(read.hot_y),
            pixels: Array(UnsafeBufferPointer(start: pixels, count: width * height)))
    }

    /// The hot spot of the cursor in the captured region; nil if it is on another screen.
    package func pointer() -> (x: Int, y: Int)? {
        var (x, y): (Int32, Int32) = (0, 0)
        guard greenroom_x11_pointer(handle, &x, &y) == 0 else { return nil }
        return (Int(x), Int(y))
    }
}

extension [X11Display.Window] {
    /// The window with an id, or else the first whose title or class is a text, or else contains it; those
    /// that can be seen first.
    package func first(matching text: String) -> X11Display.Window? {
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
    fileprivate init(_ area: greenroom_x11_rect) {
        self.init(
            x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
    }
}

extension greenroom_x11_rect {
    fileprivate init(_ area: PixelArea) {
        self.init(
            x: Int32(clamping: area.x), y: Int32(clamping: area.y),
            width: UInt32(clamping: area.width), height: UInt32(clamping: area.height))
    }
}

extension greenroom_x11_reason {
    fileprivate var string: String { withUnsafeBytes(of: text) { String(upToZero: $0) } }
}
