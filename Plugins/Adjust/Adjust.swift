import PluginEffects
import GreenroomPlugin

/// Adjusts brightness, contrast and saturation of frames, and mirrors them.
final class Adjust: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.adjust", name: "Adjust", version: "1.0.0",
        summary: "Brightness, contrast, saturation and mirroring of the video", vendor: "Greenroom"
    )

    struct Settings: PluginSettings {
        var brightness = 0.0
        var contrast = 1.0
        var saturation = 1.0
        var mirror = false

        static let table: [Setting<Self>] = [
            .number("brightness", \.brightness, in: -1...1, live: true),
            .number("contrast", \.contrast, in: 0...2, live: true),
            .number("saturation", \.saturation, in: 0...2, live: true),
            .boolean("mirror", \.mirror, title: "Mirror left and right", live: true),
        ]

        var adjustment: ToneCurves.Adjustment {
            ToneCurves.Adjustment(
                brightness: brightness, contrast: contrast, saturation: saturation)
        }
    }

    private var settings: Settings
    private var curves: (curves: ToneCurves, range: ColorRange)

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        curves = (ToneCurves(settings.adjustment, range: .limited), .limited)
    }

    func onSettingsChange(_ settings: Settings) {
        self.settings = settings
        curves.curves = ToneCurves(settings.adjustment, range: curves.range)
    }

    /// Accepts any size, because the filter edits row by row.
    func onPreProcessPropertyChange(_ capability: VideoCapability) {}

    func onPreProcessRawData(_ frame: inout MutableFrame) {
        let range = frame.info.color.range
        if range != curves.range { curves = (ToneCurves(settings.adjustment, range: range), range) }
        let curves = self.curves.curves
        for plane in 0..<frame.planeCount {
            let isLuma = plane == 0
            let keeps = isLuma ? curves.keepsLuma : curves.keepsChroma
            guard !keeps || settings.mirror else { continue }
            for y in 0..<frame.geometry(ofPlane: plane).rows {
                var row = frame.row(y, ofPlane: plane)
                if !keeps {
                    if isLuma {
                        curves.applyLuma(to: &row)
                    } else {
                        curves.applyChroma(to: &row)
                    }
                }
                if settings.mirror { mirror(&row) }
            }
        }
    }
}
