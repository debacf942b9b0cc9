import GreenroomPlugin
import GreenroomX11

/// Captures what an X server shows.
struct X11Source: FrameSource {
    /// The time between two searches for a window that is closed, in nanoseconds.
    private static let searchPause: Int64 = 1_000_000_000

    private let display: X11Display
    private let host: PluginHost
    private let target: ScreenTarget
    private(set) var image = CapturedImage(capacity: 0)
    let format = PixelFormat.bgrx
    private var area = PixelArea(width: 0, height: 0)
    /// Whether the target's place and size must be read.
    private var isStale = true
    /// Whether the window can't be captured now.
    private var isHidden = false
    /// The time of the next search for a closed window; nil while the window exists, or if the target is not
    /// a window.
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
    /// - Throws: The missing name, and the names that exist.
    init(
        _ target: ScreenTarget, showsCursor: Bool, host: PluginHost
    ) throws(PluginError) {
        display = try X11Display(host)
        self.host = host
        self.target = target
        cursor = showsCursor ? Cursor() : nil
        do throws(X11Error) {
            switch target {
            case .window(let text):
                let windows = display.windows
                guard let window = windows.first(matching: text) else {
                    throw .missing("window", text, of: windows.map(\.title))
                }
                try display.watch(window)
            case .monitor(let name):
                let names = display.monitors.map(\.name)
                guard names.contains(name) else { throw .missing("monitor", name, of: names) }
                try display.watchScreen()
            case .screen, .region, .portal: try display.watchScreen()
            }
        } catch {
            throw PluginError("\(error)", status: .unavailable)
        }
    }

    var interrupt: @Sendable () -> Void { { [display] in display.interrupt() } }

    /// The size of the target now; nil if it can't be captured.
    mutating func size() throws(PluginError) -> FrameSize? {
        if isStale { _ = try update() }
        return area.size.area > 0 ? area.size : nil
    }

    mutating func update() throws(PluginError) -> FrameUpdate {
        let result = update(with: display.changes())
        guard !display.isLost else {
            throw PluginError("the X server closed the connection", status: .unavailable)
        }
        return result
    }

    private mutating func update(with changes: X11Display.Changes) -> FrameUpdate {
        if case .window(let text) = target {
            if changes.wasClosed { nextSearch = host.nowNanoseconds }
            guard findAgain(text) else { return .missing(.closed(text)) }
            if changes.wasHidden { isHidden = true }
            if changes.wasShown {
                isHidden = false
                isStale = true
            }
            if isHidden { return .missing(.hidden) }
        } else if changes.hasNewLayout {
            isStale = true
        }
        if changes.hasNewSize { isStale = true }
        var damage = changes.damage
        if isStale {
            if let missing = measure() { return .missing(missing) }
            damage = area
        }
        if changes.hasNewCursor { cursor?.isStale = true }
        let isFetched = damage.flatMap { area.rows(touchedBy: $0) }.map { fetch($0) } ?? false
        let isPointed = point(isFetched: isFetched)
        return isFetched || isPointed ? .changed : .unchanged
    }

    /// Looks for a window instead of a closed one.
    ///
    /// - Returns: Whether there is one.
    private mutating func findAgain(_ text: String) -> Bool {
        guard let due = nextSearch else { return true }
        guard host.nowNanoseconds >= due else { return false }
        guard let window = display.windows.first(matching: text),
            (try? display.watch(window)) != nil
        else {
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
    private mutating func measure() -> MissingImage? {
        guard let size = display.measure() else {
            isHidden = true
            return .hidden
        }
        let wanted: PixelArea
        switch target {
        case .screen, .window, .portal: wanted = PixelArea(width: size.width, height: size.height)
        case .region(let region): wanted = region
        case .monitor(let name):
            guard let monitor = display.monitors.first(where: { $0.name == name }) else {
                return .noMonitor(name)
            }
            wanted = monitor.area
        }
        guard let area = wanted.frame(in: size) else { return .outside }
        self.area = area
        makeImage(area.size)
        isStale = false
        return nil
    }

    /// Makes room for an image of a size. Memory is made for the whole screen, so that a window that is resized
    /// needs it once.
    private mutating func makeImage(_ size: FrameSize) {
        cursor?.overlay.forget()
        let needed = size.area * CapturedImage.bytesOfPixel
        if needed > image.capacity {
            let capacity = max(needed, display.size.area * CapturedImage.bytesOfPixel)
            let memory = try? host.makeSharedMemory(byteCount: capacity)
            image =
                memory.flatMap { display.share($0, byteCount: capacity) }
                ?? CapturedImage(capacity: capacity)
        }
        image.resize(to: size)
    }

    // MARK: Pixels

    /// Copies rows of the target to the image.
    private mutating func fetch(_ rows: Range<Int>) -> Bool {
        cursor?.overlay.remove(from: image)
        let isDone = display.fetch(rows, of: area, to: image)
        // The target was closed or resized in between: the next events report it.
        if !isDone { isStale = true }
        return isDone
    }

    /// Draws the cursor where it is.
    ///
    /// - Returns: Whether it has changed.
    private mutating func point(isFetched: Bool) -> Bool {
        guard var cursor else { return false }
        defer { self.cursor = cursor }
        let place = display.pointer().map { (x: $0.x - area.x, y: $0.y - area.y) }
        let hasMoved = place?.x != cursor.place?.x || place?.y != cursor.place?.y
        guard hasMoved || isFetched || cursor.isStale else { return false }
        if cursor.isStale {
            cursor.picture = display.cursor()
            cursor.isStale = false
        }
        cursor.place = place
        let wasVisible = cursor.overlay.isVisible
        cursor.overlay.remove(from: image)
        if let place { cursor.overlay.draw(cursor.picture, x: place.x, y: place.y, on: image) }
        return wasVisible || cursor.overlay.isVisible
    }
}

extension X11Display {
    /// Connects over the host.
    fileprivate convenience init(_ host: PluginHost) throws(PluginError) {
        do {
            let connection = try host.connect(to: .x11)
            try self.init(
                descriptor: connection.descriptor, key: connection.key, screen: connection.screen)
        } catch let refusal as SendRefusal {
            throw PluginError(
                "cannot connect to the X server: \(refusal.text)", status: .unavailable)
        } catch {
            throw PluginError("cannot capture the X server: \(error)", status: .unavailable)
        }
    }
}

extension X11Error {
    /// - Parameter others: The names that there are.
    fileprivate static func missing(_ kind: String, _ name: String, of others: [String]) -> Self {
        let known = others.filter { !$0.isEmpty }.prefix(8).map { "\"\($0)\"" }
        let list = known.isEmpty ? "None are open" : "Open: \(known.joined(separator: ", "))"
        return Self(
            description: "no \(kind) named \"\(name)\". \(list). To list all: greenroom devices")
    }
}
