internal import Glibc
internal import GreenroomMedia

/// A camera of this machine.
package struct CameraEntry: Equatable, Sendable {
    package var path: String
    /// Empty if it can't be opened.
    package var name: String
    /// The port of the device, such as `usb-0000:00:14.0-1`; empty if it can't be opened.
    package var place: String
    package var modes: [CameraMode]
    /// The camera's controls.
    package var controls: [Control]
    /// The reason why the camera cannot be used now; nil if it can.
    package var problem: String?

    /// A control and its range.
    package struct Control: Equatable, Sendable {
        package var control: CameraControl
        package var range: ControlRange
    }

    package init(
        path: String, name: String, place: String = "", modes: [CameraMode] = [],
        controls: [Control] = [], problem: String? = nil
    ) {
        (self.path, self.name, self.place, self.modes) = (path, name, place, modes)
        (self.controls, self.problem) = (controls, problem)
    }

    /// Reads each video device. Devices that capture nothing are left out.
    package static func all() -> [CameraEntry] {
        paths().compactMap { entry($0) }
    }

    /// The video devices, by their numbers.
    private static func paths() -> [String] {
        guard let entries = opendir("/dev") else { return [] }
        defer { closedir(entries) }
        var numbers: [Int] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix("video"), let number = Int(name.dropFirst(5)) {
                numbers.append(number)
            }
        }
        return numbers.sorted().map { "/dev/video\($0)" }
    }

    private static func entry(_ path: String) -> CameraEntry? {
        do throws(CameraError) {
            return try CameraEntry(V4L2Device(path))
        } catch {
            return error.code == .notACamera
                ? nil : CameraEntry(path: path, name: "", problem: error.description)
        }
    }

    /// Reads a device.
    ///
    /// - Throws: Why it can't be used.
    package init(_ device: consuming V4L2Device) throws(CameraError) {
        var device = device
        let description = try device.description()
        let controls = CameraControl.allCases.compactMap { control in
            device.range(of: control).map { Control(control: control, range: $0) }
        }
        let modes = device.modes()
        let isUsable = modes.contains(where: \.isUsable)
        self.init(
            path: device.path, name: description.name, place: description.place, modes: modes,
            controls: controls, problem: isUsable ? nil : Self.noFormat(modes))
    }

    /// The reason why a camera with these modes can't be used.
    package static func noFormat(_ modes: [CameraMode]) -> String {
        let letters = Set(modes.map(\.letters)).sorted().joined(separator: ", ")
        return letters.isEmpty
            ? "the camera lists no formats"
            : "the camera has only \(letters); it needs YUYV, NV12 or another raw format, MJPG or H264"
    }

    /// The sizes of each format with the highest rate, such as `MJPG 1920x1080@30, 1280x720@30`.
    package static func lines(_ modes: [CameraMode]) -> [String] {
        var formats: [(letters: String, sizes: [(size: FrameSize, rate: FrameRate?)])] = []
        for mode in modes {
            if formats.last?.letters != mode.letters { formats.append((mode.letters, [])) }
            let last = formats.count - 1
            if let index = formats[last].sizes.firstIndex(where: { $0.size == mode.size }) {
                if let rate = mode.rate, rate > formats[last].sizes[index].rate ?? rate {
                    formats[last].sizes[index].rate = rate
                }
            } else {
                formats[last].sizes.append((mode.size, mode.rate))
            }
        }
        return formats.map { format in
            let sizes = format.sizes.map { "\($0.size)" + ($0.rate.map { "@\($0)" } ?? "") }
            return "\(format.letters) \(sizes.joined(separator: ", "))"
        }
    }

    /// Finds a camera.
    ///
    /// - Parameter text: A path, a part of a name, or empty for the first one.
    /// - Returns: The path.
    package static func find(
        _ text: String, in cameras: @autoclosure () -> [CameraEntry] = all()
    ) throws(CameraError) -> String {
        if text.hasPrefix("/") { return text }
        let cameras = cameras()
        let usable = cameras.filter { $0.problem == nil }
        if let found = usable.first(where: {
            text.isEmpty || $0.name.lowercased().contains(text.lowercased())
        }) {
            return found.path
        }
        let names = cameras.map { "\"\($0.name.isEmpty ? $0.path : $0.name)\"" }
        let list =
            names.isEmpty ? "No cameras" : "Cameras: \(names.prefix(8).joined(separator: ", "))"
        throw CameraError(
            (text.isEmpty ? "no camera can be used" : "no camera is \"\(text)\"")
                + ". \(list); to list all: greenroom devices")
    }
    /// Finds a lost camera, which may have another number now. No other camera replaces it.
    ///
    /// - Parameters:
    ///   - text: As for ``find(_:in:)``; a path is kept.
    ///   - lost: The lost camera's description of itself.
    /// - Returns: The path of the camera with the same name in the same place, or else in another place.
    package static func findAgain(
        _ text: String, lost: V4L2Device.Description,
        in cameras: @autoclosure () -> [CameraEntry] = all()
    ) throws(CameraError) -> String {
        if text.hasPrefix("/") { return text }
        let same = cameras().filter { $0.problem == nil && $0.name == lost.name }
        guard let found = same.first(where: { $0.place == lost.place }) ?? same.first else {
            throw CameraError("\(lost.name) is not there")
        }
        return found.path
    }
}
