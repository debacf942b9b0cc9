// The names and their types are the vendor's.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
@_exported import AppleMediaStyle

/// The layout of pixels.
public enum VideoStreamPixelFormat: Int, Sendable {
    /// Y, then UV.
    case nv12
    /// Y, then U, then V.
    case i420
    /// Red, green, blue, alpha.
    case rgba
    /// Blue, green, red, unused.
    case bgrx
    /// Red, green, blue, unused.
    case rgbx
}

/// The memory in which frames are.
public enum VideoFrameKind: Int, Sendable {
    /// Nowhere.
    case none
    /// In memory.
    case videoSoftware
}

/// A named size.
public enum VideoStreamResolution: Int, Sendable {
    /// None.
    case unknown
    /// 1920x1080.
    case p1080
    /// 1280x720.
    case p720
    /// 960x540.
    case p540
    /// 858x480.
    case p480
    /// 640x360.
    case p360
    /// 480x270.
    case p270
    /// 352x240.
    case p240
    /// 320x180: the vendor's name.
    case p108
    /// 1920x1080.
    case fullHd
    /// 1280x720.
    case hd
    /// 640x480.
    case vga
    /// 320x240.
    case qvga

    var size: (width: Int32, height: Int32) {
        switch self {
        case .unknown: (0, 0)
        case .p1080, .fullHd: (1920, 1080)
        case .p720, .hd: (1280, 720)
        case .p540: (960, 540)
        case .p480: (858, 480)
        case .p360: (640, 360)
        case .p270: (480, 270)
        case .p240: (352, 240)
        case .p108: (320, 180)
        case .vga: (640, 480)
        case .qvga: (320, 240)
        }
    }
}

/// The name that newer versions have for a format.
public typealias VideoStreamFormat = VideoFormat

/// A format that an app makes. A frame has the format of its buffer.
public final class VideoFormat: NSObject, @unchecked Sendable {
    /// In pixels.
    public var width: Int32 = 0
    /// In pixels.
    public var height: Int32 = 0
    /// The frame rate.
    public var framesPerSecond: Float = 30
    /// The layout.
    public var pixelFormat = VideoStreamPixelFormat.nv12
    /// In memory.
    public var videoFrameKind = VideoFrameKind.videoSoftware
    /// Bytes from a row of the first plane to the next.
    public var stride1: Int32 = 0
    /// Bytes from a row of the second plane to the next.
    public var stride2: Int32 = 0
    /// Bytes from a row of the third plane to the next.
    public var stride3: Int32 = 0

    /// The size by its name, which sets the width and the height.
    public var resolution = VideoStreamResolution.unknown {
        didSet { (width, height) = resolution.size }
    }

    /// Makes a format without a size.
    public override init() {}

    var capability: VideoCapability {
        VideoCapability(
            width: Int(width), height: Int(height),
            fps: Int(exactly: framesPerSecond.rounded()) ?? 30)
    }
}

/// The state of an outgoing stream.
public enum OutgoingVideoStreamState: Int, Sendable {
    /// Not attached.
    case none
    /// Attached.
    case available
    /// Frames are taken.
    case started
    /// Frames end.
    case stopping
    /// Frames have ended.
    case stopped
    /// The host refused.
    case failed
}

/// The arguments of a change of state.
public final class OutgoingVideoStreamStateChangedEventArgs: NSObject {
    /// The new state.
    public let outgoingVideoStreamState: OutgoingVideoStreamState

    init(_ state: OutgoingVideoStreamState) { outgoingVideoStreamState = state }
}

/// The arguments of a change of the sender.
public final class VideoFrameSenderChangedEventArgs: NSObject {
    /// The new sender; nil when the stream stops.
    public let videoFrameSender: VideoFrameSender?

    init(_ sender: VideoFrameSender?) { videoFrameSender = sender }
}

/// Sends frames.
open class VideoFrameSender: NSObject, @unchecked Sendable {
    /// The format that the session wants.
    public let videoFormat: VideoFormat
    let gate: SendGate<VideoSender>

    init(_ format: VideoFormat, _ gate: SendGate<VideoSender>) {
        videoFormat = format
        self.gate = gate
    }

    /// The session's clock, in parts of 100 ns.
    public var timestampInTicks: Int64 { gate.value.host.nowNanoseconds / 100 }
}

/// Whether a frame was sent.
public enum FrameConfirmationStatus: Int, Sendable {
    /// It was.
    case success
}

/// Says that a frame was sent.
public final class FrameConfirmation: NSObject {
    /// Whether it was.
    public let status = FrameConfirmationStatus.success
}

/// The host's refusal; the log has its text.
public struct RawMediaError: Error, CustomStringConvertible {
    /// The host's status.
    public let status: Status

    /// The host's status.
    public var description: String { "\(status)" }
}

/// Sends frames in memory, from any thread.
public final class SoftwareBasedVideoFrameSender: VideoFrameSender, @unchecked Sendable {
    /// Sends a frame. The completion is called before the return.
    public func send(
        frame: CVImageBuffer, timestampInTicks: Int64,
        completionHandler: @escaping (FrameConfirmation?, (any Error)?) -> Void
    ) {
        let (time, isOver) = timestampInTicks.multipliedReportingOverflow(by: 100)
        let refusal = gate.send { sender throws(SendRefusal) in
            try sender.send(frame, ptsNanoseconds: isOver ? nil : time)
        }
        if let refusal {
            completionHandler(nil, RawMediaError(status: refusal))
        } else {
            completionHandler(FrameConfirmation(), nil)
        }
    }
}

/// Hears of an outgoing stream, on the main queue.
public protocol RawOutgoingVideoStreamOptionsDelegate: AnyObject {
    /// Frames may be sent while the state is `started`.
    func rawOutgoingVideoStreamOptions(
        _ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
        didChangeOutgoingVideoStreamState args: OutgoingVideoStreamStateChangedEventArgs)
    /// Another sender, with the format that the session wants now.
    func rawOutgoingVideoStreamOptions(
        _ rawOutgoingVideoStreamOptions: RawOutgoingVideoStreamOptions,
        didChangeVideoFrameSender args: VideoFrameSenderChangedEventArgs)
}

/// The formats and the delegate of a stream.
public final class RawOutgoingVideoStreamOptions: NSObject, @unchecked Sendable {
    /// The session takes the largest format that fits.
    public var videoFormats: [VideoFormat] = []
    /// The name that newer versions have for the formats.
    public var formats: [VideoStreamFormat] {
        get { videoFormats }
        set { videoFormats = newValue }
    }
    /// The delegate.
    public weak var delegate: (any RawOutgoingVideoStreamOptionsDelegate)?

    /// Makes options without a format.
    public override init() {}

    /// The largest format that fits under a limit, or the smallest one.
    func format(under limit: VideoCapability) -> VideoFormat? {
        let formats = videoFormats.sorted {
            Int($0.width) * Int($0.height) < Int($1.width) * Int($1.height)
        }
        return formats.last { $0.capability.fits(under: limit) } ?? formats.first
    }
}

/// A frame.
open class RawVideoFrame: NSObject, @unchecked Sendable {
    /// Its format; the buffer's counts.
    public var streamFormat: VideoStreamFormat! = VideoStreamFormat()
    /// Its time on the session's clock, in parts of 100 ns; 0 for the time of sending.
    public var timestampInTicks: Int64 = 0

    /// Makes a frame.
    public override init() {}
}

/// A frame in memory.
public final class RawVideoFrameBuffer: RawVideoFrame, @unchecked Sendable {
    /// The pixels.
    public var buffer: CVImageBuffer!
}

/// A stream of frames that an app makes.
open class RawOutgoingVideoStream: OutgoingVideoStream, @unchecked Sendable {
    let options: RawOutgoingVideoStreamOptions
    private let lock = NSLock()
    private var gate: SendGate<VideoSender>?
    private var agreed: VideoStreamFormat?

    init(_ type: VideoStreamType, _ options: RawOutgoingVideoStreamOptions) {
        self.options = options
        super.init(type, .outgoing, type == .virtualOutgoing ? .video : .screenSharing)
    }

    /// The format that the session wants; the app's first before it starts.
    public var format: VideoStreamFormat {
        lock.withLock { agreed } ?? options.videoFormats.first ?? VideoStreamFormat()
    }

    /// The session's clock, in parts of 100 ns.
    public var timestampInTicks: Int64 {
        (lock.withLock { gate }?.value.host.nowNanoseconds ?? 0) / 100
    }

    /// Sends a frame, from any thread. The completion is called before the return.
    public func send(
        frame: RawVideoFrame, completionHandler: @escaping ((any Error)?) -> Void
    ) {
        guard let gate = lock.withLock({ gate }) else {
            return completionHandler(RawMediaError(status: .notStarted))
        }
        guard let buffer = (frame as? RawVideoFrameBuffer)?.buffer else {
            return completionHandler(RawMediaError(status: .badArgument))
        }
        let (time, isOver) = frame.timestampInTicks.multipliedReportingOverflow(by: 100)
        let refusal = gate.send { sender throws(SendRefusal) in
            try sender.send(buffer, ptsNanoseconds: isOver || time <= 0 ? nil : time)
        }
        completionHandler(refusal.map { RawMediaError(status: $0) })
    }

    /// Sends a frame, as the function with a completion does.
    public func send(frame: RawVideoFrame) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            send(frame: frame) { error in
                if let error { done.resume(throwing: error) } else { done.resume() }
            }
        }
    }

    /// Starts it, or changes its format.
    func start(_ sender: VideoSender, _ format: VideoFormat) {
        let gate = SendGate(sender)
        gate.open()
        MainQueue.run {
            let old = lock.withLock {
                defer { (self.gate, agreed) = (gate, format) }
                return self.gate
            }
            if old == nil { change(.started) }
            change(SoftwareBasedVideoFrameSender(format, gate))
            tellOfFormat(format)
            old?.close()
        }
    }

    func stop() {
        MainQueue.run {
            guard let gate = lock.withLock({ gate }) else { return }
            change(.stopping)
            change(nil)
            gate.close()
            lock.withLock { self.gate = nil }
            change(.stopped)
        }
    }

    func change(_ state: OutgoingVideoStreamState) {
        options.delegate?.rawOutgoingVideoStreamOptions(
            options, didChangeOutgoingVideoStreamState: .init(state))
        if let state = VideoStreamState(state) { set(state) }
    }

    private func change(_ sender: VideoFrameSender?) {
        options.delegate?.rawOutgoingVideoStreamOptions(
            options, didChangeVideoFrameSender: .init(sender))
    }

    func tellOfFormat(_ format: VideoFormat) {}
}

/// Hears of a virtual camera, on the main queue. Each function has a default that does nothing.
public protocol VirtualOutgoingVideoStreamDelegate: AnyObject {
    /// Frames may be sent while the state is `started`.
    func virtualOutgoingVideoStream(
        _ virtualOutgoingVideoStream: VirtualOutgoingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs)
    /// The session wants another format.
    func virtualOutgoingVideoStream(
        _ virtualOutgoingVideoStream: VirtualOutgoingVideoStream,
        didChangeFormat args: VideoStreamFormatChangedEventArgs)
}

extension VirtualOutgoingVideoStreamDelegate {
    /// Does nothing.
    public func virtualOutgoingVideoStream(
        _ virtualOutgoingVideoStream: VirtualOutgoingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs
    ) {}
    /// Does nothing.
    public func virtualOutgoingVideoStream(
        _ virtualOutgoingVideoStream: VirtualOutgoingVideoStream,
        didChangeFormat args: VideoStreamFormatChangedEventArgs
    ) {}
}

/// A camera that an app makes.
public final class VirtualOutgoingVideoStream: RawOutgoingVideoStream, @unchecked Sendable {
    /// Hears of it.
    public weak var delegate: (any VirtualOutgoingVideoStreamDelegate)?

    /// Makes a stream.
    public init(videoStreamOptions: RawOutgoingVideoStreamOptions) {
        super.init(.virtualOutgoing, videoStreamOptions)
    }

    override func tell(_ args: VideoStreamStateChangedEventArgs) {
        delegate?.virtualOutgoingVideoStream(self, didChangeState: args)
    }

    override func tellOfFormat(_ format: VideoFormat) {
        delegate?.virtualOutgoingVideoStream(self, didChangeFormat: .init(format))
    }
}

/// The name that older versions have for a camera that an app makes.
public typealias VirtualRawOutgoingVideoStream = VirtualOutgoingVideoStream

/// Hears of a screen share, on the main queue. Each function has a default that does nothing.
public protocol ScreenShareOutgoingVideoStreamDelegate: AnyObject {
    /// Frames may be sent while the state is `started`.
    func screenShareOutgoingVideoStream(
        _ screenShareOutgoingVideoStream: ScreenShareOutgoingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs)
    /// The session wants another format.
    func screenShareOutgoingVideoStream(
        _ screenShareOutgoingVideoStream: ScreenShareOutgoingVideoStream,
        didChangeFormat args: VideoStreamFormatChangedEventArgs)
}

extension ScreenShareOutgoingVideoStreamDelegate {
    /// Does nothing.
    public func screenShareOutgoingVideoStream(
        _ screenShareOutgoingVideoStream: ScreenShareOutgoingVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs
    ) {}
    /// Does nothing.
    public func screenShareOutgoingVideoStream(
        _ screenShareOutgoingVideoStream: ScreenShareOutgoingVideoStream,
        didChangeFormat args: VideoStreamFormatChangedEventArgs
    ) {}
}

/// A screen share that an app makes.
public final class ScreenShareOutgoingVideoStream: RawOutgoingVideoStream, @unchecked Sendable {
    /// Hears of it.
    public weak var delegate: (any ScreenShareOutgoingVideoStreamDelegate)?

    /// Makes a stream.
    public init(videoStreamOptions: RawOutgoingVideoStreamOptions) {
        super.init(.screenShareOutgoing, videoStreamOptions)
    }

    override func tell(_ args: VideoStreamStateChangedEventArgs) {
        delegate?.screenShareOutgoingVideoStream(self, didChangeState: args)
    }

    override func tellOfFormat(_ format: VideoFormat) {
        delegate?.screenShareOutgoingVideoStream(self, didChangeFormat: .init(format))
    }
}

/// The name that older versions have for a screen share that an app makes.
public typealias ScreenShareRawOutgoingVideoStream = ScreenShareOutgoingVideoStream
