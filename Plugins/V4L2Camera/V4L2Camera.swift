import GreenroomPlugin
import GreenroomV4L2

/// A camera of Video4Linux.
final class V4L2Camera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.v4l2-camera", name: "V4L2Camera", version: "1.0.0",
        summary: "Captures from a camera of this machine, through Video4Linux", vendor: "Greenroom")

    struct Settings: PluginSettings, Equatable {
        var device = ""
        var exposure = ControlPlan.automatic
        var focus = ControlPlan.automatic
        var zoom = ControlPlan.automatic
        var gain = ControlPlan.automatic
        var whiteBalance = ControlPlan.automatic

        private static let range = ControlPlan.automatic...Int(Int32.max)

        static let table: [Setting<Self>] = [
            .resource(
                "device", \.device,
                title: "Path, or a part of the camera's name; empty: the first camera"),
            .integer(
                "exposure", \.exposure, in: range, title: "Exposure time; -1: automatic",
                unit: "100 µs", live: true),
            .integer("focus", \.focus, in: range, title: "Focus; -1: automatic", live: true),
            .integer("zoom", \.zoom, in: range, title: "Zoom; -1: the camera's own", live: true),
            .integer("gain", \.gain, in: range, title: "Gain; -1: automatic", live: true),
            .integer(
                "white-balance", \.whiteBalance, in: range, title: "White balance; -1: automatic",
                unit: "K", live: true),
        ]

        func value(of control: CameraControl) -> Int {
            switch control {
            case .exposure: exposure
            case .focus: focus
            case .zoom: zoom
            case .gain: gain
            case .whiteBalance: whiteBalance
            }
        }
    }

    private var settings: Settings
    private let host: PluginHost
    private var modes: [CameraMode] = []
    private var choice: CameraChoice?
    private var sender: VideoSender?
    private var loop: CameraLoop?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Settings) {
        self.settings = settings
        loop?.change { $0.settings = settings }
    }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        do throws(CameraError) {
            var device = try V4L2Device(try CameraEntry.find(settings.device))
            _ = try device.description()
            modes = device.modes()
        } catch {
            throw PluginError(error.description, status: .unavailable)
        }
        return try answer(to: suggested, supported)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { try answer(to: suggested, supported) }

    private func answer(
        to suggested: VideoCapability, _ supported: [VideoCapability]
    ) throws -> VideoAnswer {
        guard let choice = CameraChoice(of: modes, for: suggested, supported: supported) else {
            throw PluginError(CameraEntry.noFormat(modes), status: .unavailable)
        }
        self.choice = choice
        loop?.change { $0.mode = choice.mode }
        guard choice.isOffered else { return .fixed(choice.capability) }
        return choice.capability == suggested ? .accept : .counter(choice.capability)
    }

    func onStartSend() throws {
        guard let sender, let choice else { return }
        loop = try CameraLoop(
            CameraLoop.Wish(mode: choice.mode, settings: settings), sender: sender)
    }

    func onStopSend() {
        loop?.stop()
        loop = nil
    }

    func onUninitialized() { sender = nil }
}
