import GreenroomPlugin
import PluginImages

/// Blends an image into frames.
final class Watermark: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.watermark", name: "Watermark", version: "1.0.0",
        summary: "Puts a PNG image with alpha over the video", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var path = ""
        var position = OverlayPosition.bottomRight
        var margin = 16
        var scale = 0.2
        var opacity = 1.0

        static let table: [Setting<Self>] = [
            .path("path", \.path, title: "PNG or JPEG image", required: true),
            .choice("position", \.position),
            .integer(
                "margin", \.margin, in: 0...FrameSize.maximumDimension,
                title: "Distance from the edges", unit: "px"),
            .number(
                "scale", \.scale, in: 0...1,
                title: "Width as a part of the frame's; 0 for the image's own pixels"),
            .number("opacity", \.opacity, in: 0...1, live: true),
        ]
    }

    /// The parameters of an overlay.
    private struct Target: Equatable {
        var size: FrameSize
        var color: ColorSpace
    }

    private var settings: Settings
    private let host: PluginHost
    private var image: Image?
    /// The size of its frames.
    private var frameSize: FrameSize?
    private var overlay: (overlay: Overlay, target: Target)?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Settings) {
        self.settings = settings
        overlay?.overlay.setOpacity(settings.opacity)
    }

    func onPreProcessInitialize(_ capability: VideoCapability) throws {
        try load(for: capability)
        for note in image?.notes ?? [] { host.log(.warning, note) }
    }

    /// Takes frames of another shape. In one shape it keeps the size, or the image would move within
    /// the picture: its margin is in pixels.
    func onPreProcessPropertyChange(_ capability: VideoCapability) throws {
        let (new, old) = (capability.size, frameSize ?? capability.size)
        guard new.width * old.height != old.width * new.height else {
            throw PluginError("the shape is the same", status: .unsupported)
        }
        try load(for: capability)
    }

    private func load(for capability: VideoCapability) throws {
        do {
            let image = try Image(
                contentsOf: settings.path, fitting: settings.scale > 0 ? capability.size : nil)
            self.image = consume image
            frameSize = capability.size
            overlay = nil
        } catch {
            throw PluginError("\(error)", status: .badSetting)
        }
    }

    func onPreProcessRawData(_ frame: inout MutableFrame) {
        prepare(for: Target(size: frame.size, color: frame.info.color))
        guard let overlay = overlay?.overlay else { return }
        for plane in 0..<frame.planeCount {
            for y in overlay.rows(ofPlane: plane) {
                var row = frame.row(y, ofPlane: plane)
                overlay.blend(into: &row, row: y, ofPlane: plane)
            }
        }
    }

    func onPreProcessUninitialized() {
        image = nil
        overlay = nil
    }

    /// Converts the image if the frames' size or colour is new: usually only for the first frame.
    private func prepare(for target: Target) {
        guard overlay?.target != target, image != nil else { return }
        let placement = OverlayPlacement(
            of: image?.size ?? target.size, in: target.size, at: settings.position,
            margin: settings.margin, scale: settings.scale)
        guard let scaled = image?.scaled(to: placement.size) else { return }
        var made = Overlay(
            scaled, x: placement.x, y: placement.y, frame: target.size, color: target.color)
        made.setOpacity(settings.opacity)
        overlay = (made, target)
    }
}
