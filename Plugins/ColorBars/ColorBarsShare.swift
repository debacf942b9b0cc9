import GreenroomPlugin

/// The same test pattern as a screen share.
struct ColorBarsShare: Screen {
    static let plugin = PluginDescription(
        id: "org.greenroom.color-bars-share", name: "ColorBarsShare", version: "1.0.0",
        summary: "Colour bars or grey stripes with a frame counter, as a screen share",
        vendor: "Greenroom")

    private var bars: ColorBars

    init(settings: ColorBars.Settings, host: PluginHost) {
        bars = ColorBars(settings: settings, host: host)
    }

    mutating func onSettingsChange(_ settings: ColorBars.Settings) {
        bars.onSettingsChange(settings)
    }

    var format: PixelFormat { bars.format }
    var color: ColorSpace { bars.color }

    mutating func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer { bars.onInitialize(supported: supported, suggested: suggested) }

    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        bars.fill(&frame, at: time)
    }
}
