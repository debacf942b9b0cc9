import GreenroomMedia
import GreenroomSchema
import GreenroomV4L2

/// The cameras that `V4L2Camera` can use, for `greenroom devices`.
struct CameraDevices: DeviceList {
    private static let noCamera =
        "no camera: /dev has no video0, video1 and so on; connect a camera"

    private let cameras: [CameraEntry]

    init(_ cameras: [CameraEntry] = CameraEntry.all()) { self.cameras = cameras }

    var lines: [String] {
        if cameras.isEmpty { return [Self.noCamera] }
        return cameras.flatMap(Self.lines(of:))
    }

    private static func lines(of camera: CameraEntry) -> [String] {
        var lines = ["camera \(camera.path)" + (camera.name.isEmpty ? "" : ": \(camera.name)")]
        lines += CameraEntry.lines(camera.modes).map { "  has \($0)" }
        lines += camera.controls.map { "  has \($0.control.rawValue): \($0.range.text)" }
        if let problem = camera.problem {
            lines.append("  unusable: \(problem)")
        } else {
            lines.append("  \(line(camera.path))")
        }
        return lines
    }

    private static func line(_ path: String) -> String {
        "camera: { plugin: V4L2Camera, settings: { device: \(JSON.string(path).text) } }"
    }

    var members: [(String, JSON)] {
        [
            (
                "cameras",
                .array(
                    cameras.map { camera in
                        .members([
                            ("path", .string(camera.path)), ("name", .string(camera.name)),
                            ("modes", .array(camera.modes.map(Self.json))),
                            ("controls", .array(camera.controls.map(Self.json))),
                            ("line", camera.problem == nil ? .string(Self.line(camera.path)) : nil),
                            ("missing", camera.problem.map { .string($0) }),
                        ])
                    })
            )
        ]
    }

    static func json(_ mode: CameraMode) -> JSON {
        .members([
            ("format", .string(mode.letters)), ("width", .integer(Int64(mode.size.width))),
            ("height", .integer(Int64(mode.size.height))),
            ("rate", mode.rate.map { .number($0.framesPerSecond) }),
        ])
    }

    private static func json(_ control: CameraEntry.Control) -> JSON {
        [
            "name": .string(control.control.rawValue),
            "minimum": .integer(Int64(control.range.minimum)),
            "maximum": .integer(Int64(control.range.maximum)),
            "step": .integer(Int64(control.range.step)),
            "default": .integer(Int64(control.range.standard)),
        ]
    }
}
