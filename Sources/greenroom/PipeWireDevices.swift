import FoundationEssentials
import Glibc
import GreenroomMedia
import GreenroomSchema
import GreenroomV4L2

/// The cameras that `PipeWireCamera` can use, for `greenroom devices`.
///
/// PipeWire's own program lists the cameras, because the host does not link PipeWire.
struct PipeWireDevices: DeviceList {
    /// A node that is a camera.
    struct Camera: Equatable {
        /// The name in session files.
        var name: String
        /// The text for users.
        var description: String
        /// The camera's modes; empty if the node lists no formats.
        var modes: [CameraMode]

        /// The reason that the camera cannot be used; nil if it can.
        var problem: String? {
            let known = modes.contains { PipeWireDevices.formats.contains($0.letters) }
            return modes.isEmpty || known
                ? nil
                : "PipeWireCamera reads \(PipeWireDevices.formats.joined(separator: ", "))"
        }

        var line: String {
            "camera: { plugin: PipeWireCamera, settings: { camera: \(JSON.string(name).text) } }"
        }
    }

    /// The formats of `PipeWireCamera`, by PipeWire's names.
    private static let formats = [
        "I420", "NV12", "YUY2", "UYVY", "BGRx", "BGRA", "RGBx", "RGBA", "MJPG",
    ]
    /// Limit of the list, in bytes.
    private static let lengthLimit = 1 << 24

    private var cameras: [Camera] = []
    /// The reason for a missing list.
    private var problem: String?

    /// Queries PipeWire, for at most 5 s.
    init() {
        // Discard PipeWire's messages, which would mix with the JSON.
        guard let pipe = popen("exec timeout 5 pw-dump 2> /dev/null", "re") else {
            problem = "pw-dump cannot start: \(String(cString: strerror(errno)))"
            return
        }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&part, 1, part.count, pipe), count > 0 {
            if bytes.count < Self.lengthLimit { bytes += part[..<count] }
        }
        let status = pclose(pipe)
        switch (status & 0x7F == 0 ? status >> 8 & 0xFF : -1) {
        case 0:
            if let found = Self.cameras(in: bytes) {
                cameras = found
            } else {
                problem = "cannot read pw-dump's list; check what pw-dump prints"
            }
        case 124: problem = "PipeWire does not answer for 5 s; restart it"
        case 127: problem = "pw-dump is missing; install it with: apt install pipewire-bin"
        default:
            problem =
                "PipeWire does not run for this user; start it with: "
                + "systemctl --user start pipewire wireplumber"
        }
    }

    /// Reads the cameras of a list, and skips all other objects; nil if the text is not a list.
    private static func cameras(in bytes: [UInt8]) -> [Camera]? {
        let list = try? JSONDecoder().decode([Lossy<ListedObject>].self, from: Data(bytes))
        return list?.compactMap { $0.value?.info?.camera }
    }

    var lines: [String] {
        if let problem { return ["no cameras of PipeWire: \(problem)"] }
        if cameras.isEmpty { return ["no cameras of PipeWire: no device or program offers one"] }
        return cameras.flatMap { camera in
            ["camera of PipeWire \(camera.name): \(camera.description)"]
                + CameraEntry.lines(camera.modes).map { "  has \($0)" }
                + ["  \(camera.problem.map { "not usable: \($0)" } ?? camera.line)"]
        }
    }

    var members: [(String, JSON)] {
        let missing: [(String, JSON)] = problem.map { [("pipewire-missing", .string($0))] } ?? []
        let list = cameras.map { camera -> JSON in
            .members([
                ("name", .string(camera.name)), ("description", .string(camera.description)),
                ("modes", .array(camera.modes.map(CameraDevices.json))),
                ("line", camera.problem == nil ? .string(camera.line) : nil),
                ("missing", camera.problem.map { .string($0) }),
            ])
        }
        return missing + [("pipewire-cameras", .array(list))]
    }
}

/// A value; nil if the JSON has another form.
private struct Lossy<Value: Decodable>: Decodable {
    var value: Value?

    init(from decoder: any Swift.Decoder) throws { value = try? Value(from: decoder) }
}

/// A value, or the first value of a choice.
private struct Choice<Value: Decodable>: Decodable {
    var value: Value

    private enum Key: String, CodingKey { case `default` }

    init(from decoder: any Swift.Decoder) throws {
        if let single = try? Value(from: decoder) {
            value = single
        } else {
            value = try decoder.container(keyedBy: Key.self).decode(Value.self, forKey: .default)
        }
    }
}

/// An object in the list.
private struct ListedObject: Decodable {
    var info: Info?

    struct Info: Decodable {
        var props: Lossy<Properties>?
        var params: Lossy<Parameters>?

        var camera: PipeWireDevices.Camera? {
            guard let properties = props?.value, properties.mediaClass == "Video/Source" else {
                return nil
            }
            return PipeWireDevices.Camera(
                name: properties.name, description: properties.description ?? properties.name,
                modes: (params?.value?.formats ?? []).compactMap(\.value?.mode))
        }
    }

    struct Properties: Decodable {
        var mediaClass: String?
        var name: String
        var description: String?

        private enum CodingKeys: String, CodingKey {
            case mediaClass = "media.class"
            case name = "node.name"
            case description = "node.description"
        }
    }

    struct Parameters: Decodable {
        var formats: [Lossy<Format>]

        private enum CodingKeys: String, CodingKey { case formats = "EnumFormat" }
    }

    struct Format: Decodable {
        struct Size: Decodable {
            var width: Int
            var height: Int
        }

        struct Rate: Decodable {
            var num: UInt32
            var denom: UInt32
        }

        var mediaSubtype: String
        var format: Choice<String>?
        var size: Choice<Size>
        var framerate: Choice<Rate>?

        /// The mode; nil if no frame can have the size.
        var mode: CameraMode? {
            let size = FrameSize(width: size.value.width, height: size.value.height)
            guard size.isLegal else { return nil }
            let letters = format?.value ?? mediaSubtype.uppercased()
            return CameraMode(
                code: letters.utf8.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) },
                size: size,
                rate: framerate.flatMap {
                    FrameRate(numerator: $0.value.num, denominator: $0.value.denom)
                })
        }
    }
}
