import GreenroomPlugin

/// A text as a screen share.
final class TextShare: Screen {
    static let plugin = PluginDescription(
        id: "org.greenroom.text-share", name: "TextShare", version: "1.0.0",
        summary: "Text on a plain background as a screen share: titles, a clock, a ticker",
        vendor: "Greenroom")

    /// The rate of all templates but the ticker: how soon a change shows.
    private static let rate = FrameRate(10)

    let color = ColorSpace.bt709Limited
    private let template: Template
    private var painter: TextPainter

    init(settings: TextSettings, host: PluginHost) throws {
        template = settings.template
        painter = try TextPainter(settings, host: host)
    }

    func onSettingsChange(_ settings: TextSettings) { painter.change(settings) }

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        try painter.open()
        return .counter(answer(to: suggested))
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? { .counter(answer(to: suggested)) }

    private func answer(to limit: VideoCapability) -> VideoCapability {
        VideoCapability(
            size: limit.size, rate: template == .ticker ? limit.rate : min(Self.rate, limit.rate))
    }

    func onStartSend() { painter.restart() }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        painter.paint(&frame, at: time.ptsNanoseconds, background: .page)
    }

    func onUninitialized() { painter.close() }
}
