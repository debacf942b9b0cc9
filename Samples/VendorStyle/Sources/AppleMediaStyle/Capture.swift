// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A width and a height.
public struct CMVideoDimensions: Hashable, Sendable {
    /// In pixels.
    public var width: Int32
    /// In pixels.
    public var height: Int32

    /// Makes a size.
    public init(width: Int32, height: Int32) {
        (self.width, self.height) = (width, height)
    }
}

/// The description of a format of video.
public final class CMFormatDescription: Sendable {
    let size: FrameSize

    init(_ size: FrameSize) { self.size = size }

    /// Its size.
    public var dimensions: CMVideoDimensions {
        CMVideoDimensions(width: Int32(clamping: size.width), height: Int32(clamping: size.height))
    }
}

/// The description of a format of video.
public typealias CMVideoFormatDescription = CMFormatDescription

/// The size of a format.
public func CMVideoFormatDescriptionGetDimensions(
    _ videoDesc: CMVideoFormatDescription
) -> CMVideoDimensions { videoDesc.dimensions }

/// The medium of a device.
public struct AVMediaType: Hashable, Sendable {
    let name: String

    /// Video.
    public static let video = AVMediaType(name: "video")
    /// Audio, which these devices do not capture: see `AVAudioEngine`.
    public static let audio = AVMediaType(name: "audio")
}

/// Whether an app may capture.
public enum AVAuthorizationStatus: Int, Sendable {
    /// Nobody was asked.
    case notDetermined
    /// It may not.
    case restricted
    /// It may not.
    case denied
    /// It may: the session file granted it.
    case authorized
}

/// A camera: the session's. An app sees one in a plugin that captures, and none in other plugins.
public final class AVCaptureDevice: NSObject, @unchecked Sendable {
    /// The kind of a camera; all name the same one.
    public struct DeviceType: Hashable, Sendable {
        let name: String

        /// The session's camera.
        public static let builtInWideAngleCamera = DeviceType(name: "builtInWideAngleCamera")
        /// The session's camera.
        public static let builtInTelephotoCamera = DeviceType(name: "builtInTelephotoCamera")
        /// The session's camera.
        public static let builtInUltraWideCamera = DeviceType(name: "builtInUltraWideCamera")
        /// The session's camera.
        public static let external = DeviceType(name: "external")
    }

    /// The side of a device that a camera is on; all name the same one.
    public enum Position: Int, Sendable {
        /// Any.
        case unspecified
        /// The back.
        case back
        /// The front.
        case front
    }

    /// A size that the camera captures.
    public final class Format: NSObject, @unchecked Sendable {
        /// The size.
        public let formatDescription: CMFormatDescription

        init(_ size: FrameSize) { formatDescription = CMFormatDescription(size) }
    }

    /// The search for cameras.
    public final class DiscoverySession: NSObject {
        /// The cameras.
        public let devices: [AVCaptureDevice]

        /// Searches.
        public init(deviceTypes: [DeviceType], mediaType: AVMediaType?, position: Position) {
            devices = AVCaptureDevice.devices(for: mediaType ?? .video)
        }
    }

    /// The session's cameras: one, or none.
    public static func devices(for mediaType: AVMediaType) -> [AVCaptureDevice] {
        mediaType == .video ? CaptureFeed.shared.device.map { [$0] } ?? [] : []
    }

    /// The session's camera; nil if there is none.
    public static func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? {
        devices(for: mediaType).first
    }

    /// The session's camera; nil if there is none.
    public static func `default`(
        _ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position
    ) -> AVCaptureDevice? { devices(for: mediaType ?? .video).first }

    /// Always `authorized`.
    public static func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        .authorized
    }

    /// Calls the handler at once.
    public static func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping (Bool) -> Void
    ) { handler(true) }

    /// The sizes, largest first: the camera's own and the smaller ones of the usual table.
    public let formats: [Format]
    /// The size that is captured.
    public var activeFormat: Format { didSet { CaptureFeed.shared.wantsChanged() } }
    /// Has no effect: frames arrive at the camera's rate.
    public var activeVideoMinFrameDuration = CMTime(value: 1, timescale: 30)
    /// Has no effect: frames arrive at the camera's rate.
    public var activeVideoMaxFrameDuration = CMTime(value: 1, timescale: 30)
    /// Not known.
    public let position = Position.unspecified
    /// The camera's name.
    public let localizedName: String
    /// The camera's name.
    public var uniqueID: String { localizedName }

    init(_ track: Track) {
        localizedName = track.name
        let own = track.capability?.size ?? FrameSize(width: 1280, height: 720)
        let usual = [
            (1920, 1080), (1280, 720), (960, 540), (858, 480), (640, 480), (640, 360), (480, 270),
            (352, 240), (320, 240), (320, 180),
        ].map { FrameSize(width: $0, height: $1) }
        let smaller = usual.filter {
            $0 != own && $0.width <= own.width && $0.height <= own.height
        }
        formats = ([own] + smaller).map(Format.init)
        activeFormat = formats[0]
    }

    /// Has no effect.
    public func lockForConfiguration() throws {}
    /// Has no effect.
    public func unlockForConfiguration() {}
}

/// An input of a capture.
open class AVCaptureInput: NSObject, @unchecked Sendable {}

/// A camera as an input.
public final class AVCaptureDeviceInput: AVCaptureInput, @unchecked Sendable {
    /// The camera.
    public let device: AVCaptureDevice

    /// Opens a camera.
    public init(device: AVCaptureDevice) throws { self.device = device }
}

/// An output of a capture.
open class AVCaptureOutput: NSObject, @unchecked Sendable {}

/// From an input to an output.
public final class AVCaptureConnection: NSObject, @unchecked Sendable {
    /// Whether it is on: always.
    public let isEnabled = true
}

/// Gets captured frames.
public protocol AVCaptureVideoDataOutputSampleBufferDelegate: AnyObject {
    /// Gets a frame, on the queue of the output.
    func captureOutput(
        _ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer,
        from connection: AVCaptureConnection)
}

/// Hands frames to an app, in NV12.
public final class AVCaptureVideoDataOutput: AVCaptureOutput, @unchecked Sendable {
    private let lock = NSLock()
    private var queue: DispatchQueue?
    private weak var delegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?
    private let connection = AVCaptureConnection()

    /// Has no effect: frames are NV12 with values from 16 to 235.
    public var videoSettings: [String: Any] = [:]
    /// Has no effect: the host drops frames that an app is too slow for, and counts them.
    public var alwaysDiscardsLateVideoFrames = true

    /// Makes an output.
    public override init() {}

    /// Sets who gets the frames, and where.
    public func setSampleBufferDelegate(
        _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
        queue sampleBufferCallbackQueue: DispatchQueue?
    ) {
        lock.withLock {
            delegate = sampleBufferDelegate
            queue = sampleBufferCallbackQueue
        }
    }

    /// Hands a frame over, and returns when the app is done with it: the host sees a slow app.
    func output(_ sample: CMSampleBuffer) {
        lock.lock()
        let (queue, delegate) = (self.queue, self.delegate)
        lock.unlock()
        guard let queue, let delegate else { return }
        queue.sync { delegate.captureOutput(self, didOutput: sample, from: connection) }
    }
}

/// A capture of the session's camera.
public final class AVCaptureSession: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var inputs: [AVCaptureInput] = []
    private var running = false
    private var dataOutputs: [AVCaptureVideoDataOutput] = []

    /// Makes a capture that is stopped.
    public override init() {}

    /// Always.
    public func canAddInput(_ input: AVCaptureInput) -> Bool { true }
    /// Always.
    public func canAddOutput(_ output: AVCaptureOutput) -> Bool { true }
    /// Adds an input.
    public func addInput(_ input: AVCaptureInput) { lock.withLock { inputs.append(input) } }
    /// Adds an output.
    public func addOutput(_ output: AVCaptureOutput) {
        guard let output = output as? AVCaptureVideoDataOutput else { return }
        lock.withLock { dataOutputs.append(output) }
    }
    /// Has no effect.
    public func beginConfiguration() {}
    /// Has no effect.
    public func commitConfiguration() {}

    /// Whether it captures.
    public var isRunning: Bool { lock.withLock { running } }

    /// Captures.
    public func startRunning() { set(true) }
    /// Ends the capture.
    public func stopRunning() { set(false) }

    private func set(_ isRunning: Bool) {
        lock.withLock { running = isRunning }
        CaptureFeed.shared.set(self, isRunning)
    }

    /// The cameras that it captures.
    var devices: [AVCaptureDevice] {
        lock.withLock { inputs.compactMap { ($0 as? AVCaptureDeviceInput)?.device } }
    }

    func output(_ sample: CMSampleBuffer) {
        for output in lock.withLock({ running ? dataOutputs : [] }) { output.output(sample) }
    }
}

/// A layer that shows a capture, which nobody sees.
public final class AVCaptureVideoPreviewLayer: NSObject {
    /// The capture.
    public let session: AVCaptureSession

    /// Makes a layer that nobody sees.
    public init(session: AVCaptureSession) { self.session = session }
}

/// The session's camera, and the captures of it.
package final class CaptureFeed: @unchecked Sendable {
    package static let shared = CaptureFeed()

    private let lock = NSLock()
    private var camera: AVCaptureDevice?
    private var sessions: [AVCaptureSession] = []
    private var host: PluginHost?

    /// The camera that an app finds.
    var device: AVCaptureDevice? { lock.withLock { camera } }

    /// Begins for a plugin that captures the session's camera.
    package func begin(_ host: PluginHost) {
        lock.withLock { (self.host, camera, sessions) = (host, nil, []) }
    }

    /// The want of the session's camera while an app captures it; nil for other tracks.
    package func want(of track: Track) -> TrackWant? {
        guard track.kind == .camera, track.participant == nil else { return nil }
        let device = lock.withLock { () -> AVCaptureDevice? in
            // The source may agree to another size than the first one.
            if camera == nil || sessions.isEmpty { camera = AVCaptureDevice(track) }
            return sessions.last?.devices.first
        }
        guard let size = device?.activeFormat.formatDescription.size else { return nil }
        return .video(VideoTrackWant(format: .nv12, size: size, matrix: .bt601))
    }

    func set(_ session: AVCaptureSession, _ isRunning: Bool) {
        lock.withLock {
            sessions.removeAll { $0 === session }
            if isRunning && !session.devices.isEmpty { sessions.append(session) }
        }
        wantsChanged()
    }

    func wantsChanged() { _ = lock.withLock { host }?.wantsChanged() }

    /// Hands a frame of the camera to the app.
    package func capture(_ frame: borrowing OutputFrame) {
        let sessions = lock.withLock { self.sessions }
        guard !sessions.isEmpty, let sample = CMSampleBuffer(frame, orientation: .up) else {
            return
        }
        for session in sessions { session.output(sample) }
    }
}
