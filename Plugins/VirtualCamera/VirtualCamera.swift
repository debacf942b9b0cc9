import PluginPipeWire
import GreenroomPlugin

/// A camera for other programs, through PipeWire or v4l2loopback.
final class VirtualCamera: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.virtual-camera", name: "VirtualCamera", version: "1.0.0",
        summary: "A camera for other programs, through PipeWire or v4l2loopback",
        vendor: "Greenroom")

    struct Settings: PluginSettings {
        var name = "Greenroom"
        var track = SessionVideo.camera
        var width = 0
        var height = 0
        var fps = 0
        var device = ""

        static let table: [Setting<Self>] = [
            .string("name", \.name, title: "Name of the camera in other programs"),
            .choice("track", \.track, title: "Track to show; the first one of several"),
            .integer(
                "width", \.width, in: 0...4096, title: "Width, a multiple of 8; 0: the track's"),
            .integer(
                "height", \.height, in: 0...4096, title: "Height, a multiple of 2; 0: the track's"),
            .integer("fps", \.fps, in: 0...120, title: "Frame rate; 0: the track's", unit: "fps"),
            .resource(
                "device", \.device,
                title: "v4l2loopback device instead of PipeWire, for example /dev/video10"),
        ]
    }

    /// The receiver of the frames.
    private enum Target {
        case node(PipeWireNode)
        case device(LoopbackDevice)
    }

    private let settings: Settings
    private let host: PluginHost
    /// The number of the track that is shown; nil without it.
    private var shown: UInt32?
    /// The format for other programs; nil without the track.
    private var capability: VideoCapability?
    private var target: Target?
    private var written = 0
    private var busy = 0
    private var skipped = 0
    private var disconnections = 0

    init(settings: Settings, host: PluginHost) throws {
        guard (settings.width == 0) == (settings.height == 0) else {
            throw PluginError(
                "width and height belong together: set both, or none", status: .badSetting)
        }
        guard settings.width % 8 == 0, settings.height % 2 == 0 else {
            throw PluginError(
                "\(settings.width)x\(settings.height): other programs need a width that is a "
                    + "multiple of 8 and an even height", status: .badSetting)
        }
        guard !settings.name.isEmpty else {
            throw PluginError(
                "name is empty, but other programs show it: write a name", status: .badSetting)
        }
        self.settings = settings
        self.host = host
    }

    func onTrack(_ track: Track) -> TrackWant? {
        guard track.participant == nil, track.kind == settings.track.kind,
            shown ?? track.id == track.id
        else { return nil }
        shown = track.id
        let own = track.capability ?? VideoCapability(width: 1280, height: 720, fps: 30)
        let isOwnSize = settings.width == 0
        // Programs disagree about the padding of rows whose length is no multiple of 8.
        let size =
            isOwnSize
            ? FrameSize(
                width: max(own.size.width / 8 * 8, 8), height: max(own.size.height / 2 * 2, 2))
            : FrameSize(width: settings.width, height: settings.height)
        // The host repeats frames at least 4 times a second for viewers.
        let rate = settings.fps == 0 ? max(own.rate, FrameRate(4)) : FrameRate(settings.fps)
        capability = VideoCapability(size: size, rate: rate)
        // Browsers take every camera for BT.601, whatever its size.
        return .video(
            VideoTrackWant(
                size: size, rate: rate, fit: isOwnSize ? .crop : .letterbox, matrix: .bt601))
    }

    func onStart() throws {
        guard let capability else {
            throw PluginError(
                "the session has no \(settings.track); add one, or choose another 'track'",
                status: .unavailable)
        }
        target =
            settings.device.isEmpty
            ? .node(try PipeWireNode(.camera(capability), name: settings.name, host: host))
            : .device(try LoopbackDevice(settings.device, capability))
        host.report("frames-written", written)
        host.report("frames-busy", busy)
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        switch target {
        case .node(let node): write(frame, to: node)
        case .device(let device): try write(frame, to: device)
        case nil: break
        }
    }

    private func write(_ frame: borrowing OutputFrame, to node: PipeWireNode) {
        switch node.write(frame) {
        case .written: reportWritten()
        case .busy: reportBusy()
        case .unused: break
        case .disconnected:
            let now = node.counts.disconnections
            guard now != disconnections else { return }
            disconnections = now
            host.report("disconnections", now)
        case .mismatched: reportSkipped(frame.size)
        }
    }

    private func write(_ frame: borrowing OutputFrame, to device: LoopbackDevice) throws {
        do {
            try device.write(frame) ? reportWritten() : reportBusy()
        } catch {
            // An error that stops one frame stops the next ones, too.
            target = nil
            host.giveUp("\(error)", status: .unavailable)
            throw error
        }
    }

    private func reportWritten() {
        written += 1
        host.report("frames-written", written)
    }

    private func reportBusy() {
        busy += 1
        host.report("frames-busy", busy)
    }

    private func reportSkipped(_ size: FrameSize) {
        skipped += 1
        host.report("frames-skipped", skipped)
        guard skipped == 1 else { return }
        host.log(
            .warning,
            "a frame of \(size) is skipped, because its size differs from the camera's")
    }

    func onStop() {
        if case .node(let node) = target { node.close() }
        target = nil
    }
}
