import CX11
import Glibc
import GreenroomPlugin

/// Captures what an X server shows.
struct X11Source: FrameSource {
    /// The time between two searches for a window that is closed, in nanoseconds.
    private static let searchPause: Int64 = 1_000_000_000

    let display: X11Display
    private let host: PluginHost
    private let target: ScreenTarget
    private(set) var image = CapturedImage(capacity: 0)
    private var area = PixelArea(width: 0, height: 0)
    /// Whether the target's place and size must be read.
    private var isStale = true
    /// Whether the window can't be captured now.
    private var isHidden = false
    /// When to look for a closed window; nil while there is one, or none is wanted.
    private var nextSearch: Int64?
    private var cursor: Cursor?

    private struct Cursor {
        var picture = CursorPicture()
        var overlay = CursorOverlay()
        var place: (x: Int, y: Int)?
        var isStale = true
    }

    /// Begins to watch a target.
    ///
    /// - Throws: What is not there, and what is.
    init(
        _ target: ScreenTarget, showsCursor: Bool, host: PluginHost
    ) throws(PluginError) {
        display = try X11Display(host)
        self.host = host
        self.target = target
        cursor = showsCursor ? Cursor() : nil
        switch target {
        case .window(let text):
            let windows = display.windows
            guard let window = windows.first(matching: text) else {
                throw .missing("window", text, of: windows.map(\.title))
            }
            try watch(window)
        case .monitor(let name):
            let names = display.monitors.map(\.name)
            guard names.contains(name) else { throw .missing("monitor", name, of: names) }
            try watchScreen()
        case .screen, .region: try watchScreen()
        }
    }

    private func watchScreen() throws(PluginError) {
        var reason = greenroom_x11_reason()
        guard greenroom_x11_watch_screen(display.handle, &reason) == 0 else {
            throw PluginError("the screen can't be watched: \(reason.string)", status: .unavailable)
        }
    }

    private func watch(_ window: X11Display.Window) throws(PluginError) {
        var reason = greenroom_x11_reason()
        guard greenroom_x11_watch_window(display.handle, window.id, &reason) == 0 else {
            throw PluginError(
                "the window \"\(window.title)\" can't be captured: \(reason.string)",
                status: .unavailable)
        }
    }

    /// The size of the target now; nil if it can't be captured.
    mutating func size() throws(PluginError) -> FrameSize? {
        if isStale { _ = try update() }
        return area.size.area > 0 ? area.size : nil
    }

    mutating func update() throws(PluginError) -> FrameUpdate {
        let events = greenroom_x11_poll(display.handle)
        let result = try update(with: events)
        guard !display.isLost else {
            throw PluginError("the X server has closed the connection", status: .unavailable)
        }
        return result
    }

    private mutating func update(with events: greenroom_x11_events) throws(PluginError)
        -> FrameUpdate
    {
        if case .window(let text) = target {
            if events.was_closed != 0 { nextSearch = host.nowNanoseconds }
            guard try findAgain(text) else { return .missing(.closed(text)) }
            if events.was_hidden != 0 { isHidden = true }
            if events.was_shown != 0 {
                isHidden = false
                isStale = true
            }
            if isHidden { return .missing(.hidden) }
        } else if events.has_new_layout != 0 {
            isStale = true
        }
        if events.has_new_size != 0 { isStale = true }
        var damage = events.is_damaged != 0 ? PixelArea(events.damage) : nil
        if isStale {
            if let missing = try measure() { return .missing(missing) }
            damage = area
        }
        if events.has_new_cursor != 0 { cursor?.isStale = true }
        let isFetched = damage.flatMap { area.rows(touchedBy: $0) }.map { fetch($0) } ?? false
        let isPointed = point(isFetched: isFetched)
        return isFetched || isPointed ? .changed : .unchanged
    }

    /// Looks for a window in place of a closed one.
    ///
    /// - Returns: Whether there is one.
    private mutating func findAgain(_ text: String) throws(PluginError) -> Bool {
        guard let due = nextSearch else { return true }
        guard host.nowNanoseconds >= due else { return false }
        guard let window = display.windows.first(matching: text), (try? watch(window)) != nil else {
            nextSearch = host.nowNanoseconds + Self.searchPause
            return false
        }
        nextSearch = nil
        isHidden = false
        isStale = true
        return true
    }

    // MARK: Place and size

    /// Reads the place and size of the target.
    ///
    /// - Returns: Why there is none.
    private mutating func measure() throws(PluginError) -> MissingImage? {
        var whole = greenroom_x11_rect()
        guard greenroom_x11_measure(display.handle, &whole) == 0 else {
            isHidden = true
            return .hidden
        }
        let screen = PixelArea(whole)
        let wanted: PixelArea
        switch target {
        case .screen, .window: wanted = screen
        case .region(let region): wanted = region
        case .monitor(let name):
            guard let monitor = display.monitors.first(where: { $0.name == name }) else {
                return .noMonitor(name)
            }
            wanted = monitor.area
        }
        guard let area = wanted.frame(in: screen.size) else { return .outside }
        self.area = area
        try makeImage(area.size)
        isStale = false
        return nil
    }

    /// Makes room for an image of a size. Memory is made for the whole screen, so that a window that is resized
    /// needs it once.
    private mutating func makeImage(_ size: FrameSize) throws(PluginError) {
        cursor?.overlay.forget()
        let needed = size.area * CapturedImage.bytesOfPixel
        guard needed > image.capacity else { return image.resize(to: size) }
        let screen = display.size
        let capacity = max(needed, screen.area * CapturedImage.bytesOfPixel)
        image = attach(capacity) ?? CapturedImage(capacity: capacity)
        image.resize(to: size)
    }

    /// Shares memory with the server; nil if it can't: pixels come over the connection then.
    private func attach(_ capacity: Int) -> CapturedImage? {
        guard let memory = try? host.makeSharedMemory(byteCount: capacity) else { return nil }
        guard let image = CapturedImage(mapping: memory, capacity: capacity) else {
            close(memory)
            return nil
        }
        return greenroom_x11_attach(display.handle, memory) == 0 ? image : nil
    }

    // MARK: Pixels

    /// Copies rows of the target to the image.
    private mutating func fetch(_ rows: Range<Int>) -> Bool {
        cursor?.overlay.remove(from: image)
        let part = PixelArea(
            x: area.x, y: area.y + rows.lowerBound, width: area.width, height: rows.count)
        let isDone =
            greenroom_x11_fetch(
                display.handle, greenroom_x11_rect(part), rows.lowerBound * image.strideBytes,
                image.bytes(fromRow: rows.lowerBound)) == 0
        // Closed or resized meanwhile: the next events say it.
        if !isDone { isStale = true }
        return isDone
    }

    /// Draws the cursor where it is.
    ///
    /// - Returns: Whether it has changed.
    private mutating func point(isFetched: Bool) -> Bool {
        guard cursor != nil else { return false }
        var (x, y): (Int32, Int32) = (0, 0)
        let isHere = greenroom_x11_pointer(display.handle, &x, &y) == 0
        let place = isHere ? (x: Int(x) - area.x, y: Int(y) - area.y) : nil
        let hasMoved = place?.x != cursor?.place?.x || place?.y != cursor?.place?.y
        guard hasMoved || isFetched || cursor?.isStale == true else { return false }
        if cursor?.isStale == true {
            let picture = readCursor()
            cursor?.picture = picture
            cursor?.isStale = false
        }
        cursor?.place = place
        let wasVisible = cursor?.overlay.isVisible ?? false
        cursor?.overlay.remove(from: image)
        if let place, let picture = cursor?.picture {
            cursor?.overlay.draw(picture, x: place.x, y: place.y, on: image)
        }
        return wasVisible || cursor?.overlay.isVisible == true
    }

    private func readCursor() -> CursorPicture {
        var read = greenroom_x11_cursor()
        guard greenroom_x11_read_cursor(display.handle, &read) == 0, let pixels = read.pixels else {
            return CursorPicture()
        }
        defer { free(pixels) }
        let (width, height) = (Int(read.width), Int(read.height))
        return CursorPicture(
            width: width, height: height, hotX: Int(read.hot_x), hotY: Int(read.hot_y),
            pixels: Array(UnsafeBufferPointer(start: pixels, count: width * height)))
    }
}

extension PluginError {
    /// - Parameter others: The names that there are.
    fileprivate static func missing(_ kind: String, _ name: String, of others: [String]) -> Self {
        let known = others.filter { !$0.isEmpty }.prefix(8).map { "\"\($0)\"" }
        let list = known.isEmpty ? "There is none" : "There are \(known.joined(separator: ", "))"
        return PluginError(
            "no \(kind) is \"\(name)\". \(list); 'greenroom devices' lists all",
            status: .unavailable)
    }
}
