import GreenroomPlugin

/// The same test pattern as a screen share.
struct ColorBarsShare: Screen {
    static let plugin = PluginDescription(
        id: "org.greenroom.color-bars-share", name: "ColorBarsShare", version: "1.0.0",
        summary: "Colour bars or grey stripes with a frame counter, as a screen share",
        vendor: "Greenroom")

    private var picture: ColorBars

    init(settings: ColorBars.Settings, host: PluginHost) {
        picture = ColorBars(settings: settings, host: host)
    }

    mutating func onSettingsChange(_ settings: ColorBars.Settings) {
        picture.onSettingsChange(settings)
    }

    var format: PixelFormat { picture.format }
    var color: ColorSpace { picture.color }

    mutating func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer { picture.onInitialize(supported: supported, suggested: suggested) }

    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        picture.fill(&frame, at: time)
    }
}
