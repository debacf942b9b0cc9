import GreenroomPlugin

/// A source of frei0r, as a camera.
///
/// It draws a picture whose sides are rounded up to multiples of 8; the frame is its upper left part. The
/// picture is the effect's own, since some effects draw over the frame before.
final class Frei0rSource: Camera {
    static let plugin = PluginDescription(
        id: "frei0r.source", name: "frei0r-source", version: "1.0", summary: "A source of frei0r")

    private let effect: Frei0rEffect
    private let host: PluginHost
    private var settings: Frei0rSettings
    private var instance: Frei0rInstance?
    private var agreed = FrameSize(width: 1, height: 1)

    init(settings: Frei0rSettings, host: PluginHost) throws {
        effect = try settings.started()
        self.settings = settings
        self.host = host
    }

    var format: PixelFormat { effect.isBlueFirst ? .bgra : .rgba }
    var color: ColorSpace { ColorSpace(range: .limited, matrix: .usual(for: agreed)) }

    func onSettingsChange(_ settings: Frei0rSettings) {
        settings.reportBadColors(to: host)
        self.settings = settings
        instance?.apply(settings)
    }

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        try answer(supported, suggested)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { try answer(supported, suggested) }

    /// The suggestion, or the largest row that the effect can draw.
    private func answer(
        _ supported: [VideoCapability], _ suggested: VideoCapability
    ) throws -> VideoAnswer {
        let fitting = ([suggested] + supported).first {
            (try? Frei0rEffect.size(for: $0.size)) != nil
        }
        let capability = fitting ?? suggested
        try construct(for: capability.size)
        agreed = capability.size
        return capability == suggested ? .accept : .counter(capability)
    }

    private func construct(for frame: FrameSize) throws {
        let size = try Frei0rEffect.size(for: frame)
        guard instance?.size != size else { return }
        instance = try Frei0rInstance(settings, effect, size: size)
    }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        try construct(for: frame.size)
        guard let instance else { return }
        instance.update(at: time.seconds)
        let rowBytes = frame.width * 4
        for row in 0..<frame.height {
            let pixels = UnsafeRawBufferPointer(
                start: instance.output + row * instance.strideBytes, count: rowBytes)
            frame.copy(pixels.bytes, toRow: row)
        }
    }

    func onUninitialized() { instance = nil }
}
