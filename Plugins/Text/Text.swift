import GreenroomPlugin

/// Blends a text into frames.
final class Text: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.text", name: "Text", version: "1.0.0",
        summary: "Text over the video: titles, a clock, a counter, a lower third, a ticker",
        vendor: "Greenroom")

    private var painter: TextPainter

    init(settings: TextSettings, host: PluginHost) throws {
        painter = try TextPainter(settings, host: host)
    }

    func onSettingsChange(_ settings: TextSettings) { painter.change(settings) }

    /// Loads the fonts, and renders for the usual colour: neither makes the first frame late.
    func onPreProcessInitialize(_ capability: VideoCapability) throws {
        try painter.open()
        painter.prepare(
            for: capability.size,
            ColorSpace(range: .limited, matrix: .usual(for: capability.size)))
    }

    /// It takes frames of any size.
    func onPreProcessPropertyChange(_ capability: VideoCapability) {}

    func onPreProcessStart() { painter.restart() }

    func onPreProcessRawData(_ frame: inout MutableFrame) {
        painter.paint(&frame, at: frame.info.ptsNanoseconds, background: .box)
    }

    func onPreProcessUninitialized() { painter.close() }
}
