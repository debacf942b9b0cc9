import CLinux
import Glibc
import PluginCamera
import PluginEncoding
import GreenroomMedia
import GreenroomPlugin
import PluginProcess
import GreenroomV4L2
import Synchronization

/// The thread that captures and sends frames.
final class CameraLoop: Sendable {
    /// The wishes that the camera follows.
    struct Wish: Sendable {
        var mode: CameraMode
        var settings: V4L2Camera.Settings
    }

    private let wish: SharedWish
    private let thread: PluginThread

    /// Starts the camera and the thread.
    ///
    /// - Throws: ``PluginError``, such as that another program has the camera.
    init(_ wish: Wish, sender: VideoSender) throws {
        let shared = SharedWish(wish, stop: try StopSignal())
        self.wish = shared
        let work = CaptureWork(shared, sender: sender)
        do throws(CameraError) {
            try work.open()
        } catch {
            throw PluginError(error.description, status: .unavailable)
        }
        thread = try PluginThread(name: "camera") { work.run() }
    }

    /// Changes what the camera does from the next frame on.
    func change(_ body: (inout Wish) -> Void) { wish.value.withLock { body(&$0) } }

    /// Ends the thread. Nothing is sent after the return.
    func stop() {
        wish.stop.set()
        thread.join()
    }

    deinit { stop() }
}

/// The state that the thread and its owner share.
private final class SharedWish: Sendable {
    let value: Mutex<CameraLoop.Wish>
    let stop: StopSignal

    init(_ wish: CameraLoop.Wish, stop: StopSignal) {
        value = Mutex(wish)
        self.stop = stop
    }
}

/// The thread's work.
private final class CaptureWork {
    /// The time between two attempts to open a lost camera, in nanoseconds.
    private static let pause: Int64 = 1_000_000_000
    /// The time between two slates, in nanoseconds.
    private static let slatePause: Int64 = 500_000_000
    /// The time for which a camera may send nothing, in milliseconds of real time.
    private static let patience: Int32 = 2_000

    private let wish: SharedWish
    private let sender: VideoSender
    private let host: PluginHost
    private var device: V4L2Device?
    private var mode: CameraMode
    private var stream: V4L2Device.Stream?
    /// The decoder of the stream, if that is H.264.
    private var decoder: H264Decoder?
    /// The camera that was opened last.
    private var description: V4L2Device.Description?
    /// The values that the camera has; none for controls that nobody has set.
    private var values: [CameraControl: Int] = [:]
    private var told: Set<String> = []

    init(_ wish: SharedWish, sender: VideoSender) {
        self.wish = wish
        self.sender = sender
        host = sender.host
        mode = wish.value.withLock { $0.mode }
    }

    /// Opens the camera and starts it.
    func open() throws(CameraError) {
        let current = wish.value.withLock { $0 }
        let setting = current.settings.device
        let path =
            if let description {
                try CameraEntry.findAgain(setting, lost: description)
            } else {
                try CameraEntry.find(setting)
            }
        var device = try V4L2Device(path)
        let description = try device.description()
        self.description = description
        stream = try device.start(current.mode)
        decoder = nil
        mode = current.mode
        values = [:]
        host.log(
            .info,
            "\(description.name): \(mode.letters) \(mode.size)"
                + (stream?.rate.map { "@\($0)" } ?? ""))
        self.device = consume device
        control(current.settings)
    }

    func run() {
        // A virtual clock waits for a thread from its first use of the clock on.
        guard host.wait(untilNanoseconds: host.nowNanoseconds) == .ok else { return }
        do {
            while true {
                do {
                    while try capture() {}
                    return
                } catch let failure as CameraError {
                    guard try waitForCamera(failure) else { return }
                }
            }
        } catch let refusal as SendRefusal {
            if !refusal.isEnd { host.giveUp(refusal.text, status: refusal.status) }
        } catch {
            host.giveUp("\(error)")
        }
    }

    /// Follows the wishes, and sends the frames that are there.
    ///
    /// - Returns: false at the end.
    private func capture() throws -> Bool {
        let current = wish.value.withLock { $0 }
        if current.mode != mode, device != nil {
            device?.stop()
            // A camera has its formats as long as it is there.
            stream = try device?.start(current.mode)
            mode = current.mode
            decoder = nil
        }
        control(current.settings)
        guard let descriptor = device?.descriptor else { return false }
        var queries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wish.stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&queries, 2, Self.patience)
        if queries[1].revents != 0 { return false }
        guard count != 0 else { throw CameraError("no frame from the camera for 2 s") }
        // The device says what is wrong.
        while try device?.take({ try send($0, $1) }) == true {}
        if queries[0].revents & Int16(POLLHUP | POLLNVAL) != 0 {
            throw CameraError("the camera was unplugged")
        }
        return true
    }

    /// Sets the controls that have another value than before.
    private func control(_ settings: V4L2Camera.Settings) {
        for control in CameraControl.allCases {
            let value = settings.value(of: control)
            guard value != values[control] ?? ControlPlan.automatic else { continue }
            values[control] = value
            if let refusal = device?.set(control, to: value) { host.log(.warning, refusal) }
        }
    }

    // MARK: Frames

    private func send(_ bytes: Span<UInt8>, _ frame: V4L2Device.Frame) throws {
        // A frame that the camera made before a property change has another size than agreed.
        guard let stream, wish.value.withLock({ $0.mode }) == mode else { return }
        let time = CameraTime.session(
            frame: frame.monotonicNanoseconds, monotonicNow: greenroom_monotonic_now(),
            now: host.nowNanoseconds)
        do {
            if mode.isH264 {
                try decode(bytes, stream.color, at: time)
            } else if let format = mode.format {
                try send(bytes, format, stream, at: time)
            }
        } catch let refusal as SendRefusal {
            if refusal.isEnd { throw refusal }
            // Bad cables damage images. The next image may be whole.
            if !refusal.isPassing { tell(refusal.text) }
        }
    }

    private func send(
        _ bytes: Span<UInt8>, _ format: PixelFormat, _ stream: V4L2Device.Stream, at time: Int64
    ) throws(SendRefusal) {
        if format == .mjpeg {
            try sender.sendVideoFrame(
                bytes.bytes, width: mode.size.width, height: mode.size.height, format: format,
                color: ColorSpace(range: .full, matrix: .bt601), ptsNanoseconds: time)
        } else if let planes = CameraPlanes(
            format: format, size: mode.size, strideBytes: stream.strideBytes, count: bytes.count)
        {
            try sender.send(
                format: format, size: mode.size, planes: FramePlanes(bytes, planes),
                info: FrameInfo(color: stream.color, ptsNanoseconds: time))
        } else {
            host.countDamaged()
            tell("incomplete frame from the camera: \(bytes.count) bytes")
        }
    }

    private func decode(_ bytes: Span<UInt8>, _ color: ColorSpace, at time: Int64) throws {
        do {
            let decoder = try decoder ?? H264Decoder()
            self.decoder = decoder
            try decoder.decode(bytes, at: time, color: color) { size, planes, info in
                try sender.send(format: .i420, size: size, planes: planes, info: info)
            }
        } catch let error as FFmpegError {
            host.countDamaged()
            tell("cannot decode the camera's H.264: \(error.description)")
        }
    }

    /// Logs a line once.
    private func tell(_ line: String) {
        if told.insert(line).inserted { host.log(.warning, line) }
    }

    // MARK: Loss

    /// Shows a slate until the camera is there again.
    ///
    /// - Returns: false at the end.
    private func waitForCamera(_ failure: CameraError) throws(SendRefusal) -> Bool {
        device = nil
        host.log(.warning, "\(failure); retrying every second")
        var nextAttempt = host.nowNanoseconds + Self.pause
        while true {
            try showSlate(failure.code == .busy ? "busy" : "unplugged")
            guard host.wait(untilNanoseconds: host.nowNanoseconds + Self.slatePause) == .ok else {
                return false
            }
            guard host.nowNanoseconds >= nextAttempt else { continue }
            nextAttempt = host.nowNanoseconds + Self.pause
            do throws(CameraError) {
                try open()
                host.log(.info, "the camera is back")
                return true
            } catch {
                // It is not there yet.
            }
        }
    }

    private func showSlate(_ state: String) throws(SendRefusal) {
        do throws(SendRefusal) {
            // The camera's last mode may be older than the agreed size.
            let size = wish.value.withLock { $0.mode.size }
            let slate = CameraSlate.frame(size, state)
            try sender.sendVideoFrame(
                slate.span.bytes, width: size.width, height: size.height,
                ptsNanoseconds: host.nowNanoseconds)
        } catch {
            guard error.isPassing else { throw error }
        }
    }
}
