import PluginImages
import GreenroomPlugin
import PluginText

/// Paints a text into I420 frames. It renders the text when it changes, not for each frame.
struct TextPainter {
    /// The part of a frame that the background covers.
    enum Background { case box, page }

    /// The text as it is shown now, and the parameters it was rendered for.
    private struct Rendering {
        var size: FrameSize
        var color: ColorSpace
        var background: Background
        var second: Int64?
        /// Nil for nothing to show.
        var art: Art?
    }

    private enum Art {
        case still(Overlay)
        case moving(Ticker)
    }

    private let host: PluginHost
    private var settings: TextSettings
    private var color: Color
    private var background: Color
    private let clockStart: WallTime?
    private var typesetter: Typesetter?
    private var rendering: Rendering?
    /// The timestamp of the first frame; of a ticker the first one with its text, and of a counter with
    /// its start.
    private var origin: Int64?
    /// The last frame's, for frames without one.
    private var lastTime: Int64 = 0
    /// The messages that are already logged.
    private var told: Set<String> = []

    init(_ settings: TextSettings, host: PluginHost) throws(PluginError) {
        self.host = host
        self.settings = settings
        color = try Color(settings.color, of: "color")
        background = try Color(settings.background, of: "background")
        clockStart = WallTime(settings.clockStart)
        guard clockStart != nil || settings.clockStart.isEmpty else {
            throw PluginError(
                "clock-start: \"\(settings.clockStart)\" is not a time; write it as "
                    + "2026-01-31T09:00:00",
                status: .badSetting)
        }
    }

    mutating func open() throws(PluginError) {
        if typesetter == nil { typesetter = try Typesetter() }
    }

    mutating func close() {
        rendering = nil
        typesetter = nil
    }

    mutating func restart() { origin = nil }

    mutating func change(_ new: TextSettings) {
        let old = settings
        settings = new
        if old.color != new.color { color = replaced(color, by: new.color, of: "color") }
        if old.background != new.background {
            background = replaced(background, by: new.background, of: "background")
        }
        if old.countFrom != new.countFrom || old.template == .ticker && old.text != new.text {
            origin = nil
        }
        if case .still(var overlay) = rendering?.art, old.opacity != new.opacity,
            old.withOpacity(new.opacity) == new
        {
            overlay.setOpacity(new.opacity)
            rendering?.art = .still(overlay)
        } else {
            rendering = nil
        }
    }

    /// A live colour that can't be read leaves the colour as it is.
    private func replaced(_ color: Color, by text: String, of setting: String) -> Color {
        do throws(PluginError) {
            return try Color(text, of: setting)
        } catch {
            host.log(.warning, "\(error.text). The colour stays as it is.")
            return color
        }
    }

    // MARK: Frames

    /// Renders before the first frame.
    mutating func prepare(for size: FrameSize, _ color: ColorSpace) {
        let time = time(at: origin ?? 0)
        render(size, color, .box, time)
    }

    /// Paints into a frame.
    ///
    /// - Parameter pts: The frame's time on the session clock; nil if it has none.
    mutating func paint(_ frame: inout MutableFrame, at pts: Int64?, background: Background) {
        let now = pts ?? lastTime
        lastTime = now
        if origin == nil { origin = now }
        let time = time(at: now)
        let colorSpace = frame.info.color
        if rendering?.size != frame.size || rendering?.color != colorSpace
            || rendering?.background != background || rendering?.second != time?.seconds
        {
            render(frame.size, colorSpace, background, time)
        }
        if background == .page { fill(&frame) }
        switch rendering?.art {
        case .still(let overlay): frame.blend(overlay)
        case .moving(let ticker):
            let elapsed = elapsed(at: now)
            ticker.paint(&frame, elapsed: elapsed, speed: settings.speed)
        case nil: break
        }
    }

    private func elapsed(at now: Int64) -> Int64 {
        let (elapsed, overflow) = now.subtractingReportingOverflow(origin ?? now)
        return overflow ? 0 : max(elapsed, 0)
    }

    /// The time that a text has in it.
    private func time(at now: Int64) -> TextTime? {
        switch settings.template {
        case .clock: TextTime(clockFrom: clockStart, elapsed: elapsed(at: now), now: .now)
        case .counter: TextTime(counterFrom: settings.countFrom, elapsed: elapsed(at: now))
        case .plain, .lowerThird, .ticker: nil
        }
    }

    /// Covers the whole frame.
    private func fill(_ frame: inout MutableFrame) {
        let yuv = YUVConversion(to: frame.info.color).convert(
            red: Double(background.red), green: Double(background.green),
            blue: Double(background.blue))
        for (plane, value) in [yuv.y, yuv.u, yuv.v].enumerated() {
            frame.fill(plane: plane, with: UInt8(clamping: Int(value.rounded())))
        }
    }

    // MARK: Rendering

    private mutating func render(
        _ size: FrameSize, _ colorSpace: ColorSpace, _ background: Background, _ time: TextTime?
    ) {
        rendering = Rendering(
            size: size, color: colorSpace, background: background, second: time?.seconds)
        let fontSize = max(Int((settings.size * Double(size.height)).rounded()), 4)
        let content = TextContent(
            settings, time: time?.formatted(settings.timeFormat),
            limit: TextContent.limit(ofSize: fontSize))
        if content.isCut {
            tell("cut", "the text is too long for this font size; showing the first part")
        }
        guard !content.text.allSatisfy(\.isWhitespace), let typesetter else { return }
        let geometry = TextGeometry(settings, frame: size, fontSize: fontSize)
        guard
            let layout = typesetter.layout(
                content.text, heading: content.heading, font: settings.font, size: fontSize,
                alignment: geometry.alignment,
                room: geometry.room)
        else { return }
        for message in layout.missing.messages { tell(message.package, message.text) }

        let behind = background == .box ? self.background : nil
        if settings.template == .ticker {
            rendering?.art = .moving(
                Ticker(
                    layout, geometry, color: color, background: behind, opacity: settings.opacity,
                    colorSpace: colorSpace))
        } else {
            let banner = geometry.banner(of: layout)
            var overlay = Overlay(
                banner.picture(of: layout, color, on: behind), x: banner.x, y: banner.y,
                frame: size, color: colorSpace)
            overlay.setOpacity(settings.opacity)
            rendering?.art = .still(overlay)
        }
    }

    private mutating func tell(_ what: String, _ text: String) {
        if told.insert(what).inserted { host.log(.warning, text) }
    }
}

extension TextSettings {
    fileprivate func withOpacity(_ opacity: Double) -> TextSettings {
        var settings = self
        settings.opacity = opacity
        return settings
    }
}

extension MutableFrame {
    /// Blends an overlay into the rows that it covers.
    fileprivate mutating func blend(_ overlay: borrowing Overlay) {
        for plane in 0..<planeCount {
            for y in overlay.rows(ofPlane: plane) {
                var row = row(y, ofPlane: plane)
                overlay.blend(into: &row, row: y, ofPlane: plane)
            }
        }
    }
}
