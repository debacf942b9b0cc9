import GreenroomFiles
import GreenroomPlugin

/// Plays a Y4M film as a camera, in its own size and at its own rate.
final class Y4MFile: Camera {
    static let plugin = PluginDescription(
        id: "org.greenroom.y4m-file", name: "Y4MFile", version: "1.0.0",
        summary: "Plays a Y4M file as a camera", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var path = ""
        var loop = true

        static let table: [Setting<Self>] = [
            .path("path", \.path, title: "Y4M file", required: true),
            .boolean(
                "loop", \.loop, title: "Repeat the file. Off: hold the last frame after the end"),
        ]
    }

    private let settings: Settings
    private let host: PluginHost
    private var reader: Y4MReader?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    /// The film's range, and the matrix that its header names in `XCOLORSPACE`. Most name none:
    /// then it is the one that players guess from the size.
    var color: ColorSpace {
        guard let format = reader?.format else { return .bt601Limited }
        let isHD = format.size.width >= 1280 || format.size.height > 576
        return ColorSpace(range: format.range, matrix: format.matrix ?? (isHD ? .bt709 : .bt601))
    }

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        let opened: Y4MReader
        do {
            opened = try Y4MReader(path: settings.path)
        } catch {
            throw PluginError("\(error)", status: .badSetting)
        }
        guard opened.frameCount > 0 else {
            throw PluginError(
                "\(settings.path): no whole frame in the file; create the file again",
                status: .badSetting)
        }
        for note in opened.notes { host.log(.warning, note) }
        let film = VideoCapability(size: opened.format.size, rate: opened.format.rate)
        reader = consume opened
        return .fixed(film)
    }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        guard let count = reader?.frameCount, count > 0 else { return }
        guard settings.loop || time.index < count else { throw NothingNew() }
        let index = time.index % Int64(count)
        let (yStride, uStride, vStride) = (
            frame.strideBytes(ofPlane: 0), frame.strideBytes(ofPlane: 1),
            frame.strideBytes(ofPlane: 2)
        )
        try frame.withPlanes { y, u, v in
            try reader?.readFrame(
                Int(index), y: &y, yStride: yStride, u: &u, uStride: uStride, v: &v,
                vStride: vStride)
        }
        if reader?.format.siting == .left { centerChroma(of: &frame) }
    }

    private func centerChroma(of frame: inout MutableFrame) {
        for plane in 1...2 {
            for y in 0..<((frame.height + 1) / 2) {
                var row = frame.row(y, ofPlane: plane)
                Y4MFormat.centerChroma(ofRow: &row)
            }
        }
    }

    func onUninitialized() { reader = nil }
}
