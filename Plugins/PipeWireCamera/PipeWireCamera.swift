import Glibc
import PluginCamera
import PluginPipeWire
import GreenroomPlugin
import Synchronization

/// A camera of PipeWire: a device, or another program.
final class PipeWireCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.greenroom.pipewire-camera", name: "PipeWireCamera", version: "1.0.0",
        summary: "Captures from a camera of PipeWire", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var camera = ""
        var portal = false

        static let table: [Setting<Self>] = [
            .resource(
                "camera", \.camera,
                title: "Name of the camera's node, as pw-top shows it; empty: any camera"),
            .boolean(
                "portal", \.portal, title: "Whether to ask the user, through the desktop's portal"),
        ]
    }

    private let settings: Settings
    private let host: PluginHost
    private var agreed: VideoCapability?
    private var sender: VideoSender?
    private var loop: PipeWireLoop?

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        // PipeWire or the bus must be there now. The dialog opens when the camera starts.
        if settings.portal {
            close(try host.connect(to: .sessionBus).descriptor)
        } else {
            _ = try PipeWireCapture(host, settings.camera, suggested)
        }
        self.sender = sender
        agreed = suggested
        return .accept
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        agreed = suggested
        loop?.change(to: suggested)
        return .accept
    }

    func onStartSend() throws {
        guard let sender, let agreed else { return }
        loop = try PipeWireLoop(settings, agreed, sender)
    }

    func onStopSend() {
        loop?.join()
        loop = nil
    }

    func onUninitialized() { sender = nil }
}

extension PipeWireCapture {
    /// Connects over the host.
    fileprivate convenience init(
        _ host: PluginHost, _ camera: String, _ wanted: VideoCapability
    ) throws(PluginError) {
        let connection: HostConnection
        do throws(SendRefusal) {
            connection = try host.connect(to: .pipewire)
        } catch {
            throw PluginError(error.text, status: .unavailable)
        }
        try self.init(descriptor: connection.descriptor, camera: camera, wanted: wanted)
    }
}

/// The thread that sends the newest frame in each period. It ends with the sending.
private final class PipeWireLoop: Sendable {
    private let wanted: SharedCapability
    private let thread: PluginThread

    init(
        _ settings: PipeWireCamera.Settings, _ wanted: VideoCapability, _ sender: VideoSender
    ) throws {
        let shared = SharedCapability(wanted)
        self.wanted = shared
        thread = try PluginThread(name: "pipewire camera") {
            var work = PipeWireWork(settings, wanted: shared, sender: sender)
            work.run()
        }
    }

    func change(to wanted: VideoCapability) { self.wanted.value.withLock { $0 = wanted } }

    func join() { thread.join() }
}

/// The size and rate that the plugin requests from the camera.
private final class SharedCapability: Sendable {
    let value: Mutex<VideoCapability>

    init(_ value: VideoCapability) { self.value = Mutex(value) }
}

/// The thread's work.
private struct PipeWireWork {
    /// The time for which a camera may send nothing before the slate, in nanoseconds.
    private static let patience: Int64 = 2_000_000_000
    /// The time between two slates, and between two attempts to connect, in nanoseconds.
    private static let slatePause: Int64 = 500_000_000
    private static let attemptPause: Int64 = 1_000_000_000

    let settings: PipeWireCamera.Settings
    let wanted: SharedCapability
    let sender: VideoSender
    private let host: PluginHost
    private var capture: PipeWireCapture?
    /// The question that the user has not answered yet.
    private var portal: CameraPortal?
    /// The size and rate that the camera was asked for.
    private var asked: VideoCapability
    private var bytes: [UInt8] = []
    private var lastFrame: Int64
    private var lastSlate = Int64.min / 2
    private var nextAttempt = Int64.min
    private var isMissing = false
    private var hasWarned = false

    init(
        _ settings: PipeWireCamera.Settings, wanted: SharedCapability, sender: VideoSender
    ) {
        (self.settings, self.wanted, self.sender) = (settings, wanted, sender)
        host = sender.host
        asked = wanted.value.withLock { $0 }
        lastFrame = sender.host.nowNanoseconds
    }

    mutating func run() {
        var due = host.nowNanoseconds
        do throws(SendRefusal) {
            while host.wait(untilNanoseconds: due) == .ok {
                guard connect() else { return }
                try sendFrame(at: due)
                let now = host.nowNanoseconds
                due = max(due + asked.rate.dueNanoseconds(ofFrame: 1), now)
            }
        } catch {
            if !error.isEnd { host.giveUp(error.text, status: error.status) }
        }
    }

    /// Connects to the camera, or reconnects after a loss or with another size.
    ///
    /// - Returns: false if the user refuses.
    private mutating func connect() -> Bool {
        let wish = wanted.value.withLock { $0 }
        if wish != asked {
            asked = wish
            capture = nil
            nextAttempt = .min
        }
        let now = host.nowNanoseconds
        if let loss = capture?.loss {
            tellMissing(loss)
            capture = nil
            nextAttempt = now + Self.attemptPause
        }
        guard capture == nil, portal != nil || now >= nextAttempt else { return true }
        nextAttempt = now + Self.attemptPause
        do throws(PluginError) {
            if settings.portal { return try ask() }
            capture = try PipeWireCapture(host, settings.camera, asked)
        } catch {
            tellMissing(error.text)
        }
        return true
    }

    /// Asks the user, and connects once the answer is there.
    ///
    /// - Returns: false if the user refuses.
    private mutating func ask() throws(PluginError) -> Bool {
        guard let portal else {
            portal = try CameraPortal(host)
            if !isMissing { host.log(.info, "allow the camera in the desktop's dialog") }
            return true
        }
        guard let answer = portal.takeAnswer() else { return true }
        self.portal = nil
        switch answer {
        case .granted(let descriptor):
            capture = try PipeWireCapture(
                descriptor: descriptor, camera: settings.camera, wanted: asked)
        case .refused:
            host.finish("the user denied the camera in the desktop's dialog")
            return false
        case .failed(let reason): throw PluginError(reason, status: .unavailable)
        }
        return true
    }

    private mutating func tellMissing(_ reason: String) {
        if !isMissing {
            host.log(.warning, "the camera is missing: \(reason); retrying every second")
        }
        isMissing = true
    }

    private mutating func sendFrame(at time: Int64) throws(SendRefusal) {
        if let frame = capture?.read(into: &bytes) {
            if isMissing { host.log(.info, "the camera is back") }
            isMissing = false
            lastFrame = time
            return try send(frame, at: time)
        }
        guard isMissing || portal != nil || time - lastFrame >= Self.patience,
            time - lastSlate >= Self.slatePause
        else { return }
        if portal == nil { tellMissing("no frames") }
        lastSlate = time
        try passing { sender throws(SendRefusal) in
            let slate = CameraSlate.frame(asked.size, portal == nil ? "missing" : "waiting")
            try sender.sendVideoFrame(
                slate.span.bytes, width: asked.size.width, height: asked.size.height,
                ptsNanoseconds: time)
        }
    }

    private mutating func send(
        _ frame: PipeWireCapture.Frame, at time: Int64
    ) throws(SendRefusal) {
        let planes = CameraPlanes(
            format: frame.format, size: frame.size, strideBytes: frame.strideBytes,
            count: frame.byteCount)
        guard planes != nil || frame.format == .mjpeg else {
            if !hasWarned {
                host.log(
                    .warning,
                    "incomplete frame from the camera: \(frame.byteCount) bytes")
            }
            hasWarned = true
            return
        }
        let (bytes, color) = (bytes, frame.color)
        try passing { sender throws(SendRefusal) in
            guard let planes else {
                return try sender.sendVideoFrame(
                    bytes.span.bytes, width: frame.size.width, height: frame.size.height,
                    dataLength: frame.byteCount, format: .mjpeg, color: color,
                    ptsNanoseconds: time)
            }
            try sender.send(
                format: frame.format, size: frame.size,
                planes: FramePlanes(bytes.span, planes),
                info: FrameInfo(color: color, ptsNanoseconds: time))
        }
    }

    /// Sends a frame. A refused frame is lost, but the host may accept the next one.
    private func passing(_ body: (VideoSender) throws(SendRefusal) -> Void) throws(SendRefusal) {
        do throws(SendRefusal) {
            try body(sender)
        } catch {
            guard error.isEnd else { return }
            throw error
        }
    }
}
