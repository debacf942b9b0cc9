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

/// Where frames are.
public enum VideoFrameKind: Int, Sendable {
    /// Nowhere.
    case none
    /// In memory.
    case videoSoftware
}

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

/// Why the host refused; the log has its text.
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

/// A stream of frames that an app makes.
open class RawOutgoingVideoStream: NSObject, @unchecked Sendable {
    let options: RawOutgoingVideoStreamOptions
    private var gate: SendGate<VideoSender>?

    /// Makes a stream.
    public init(videoStreamOptions: RawOutgoingVideoStreamOptions) { options = videoStreamOptions }

    /// Starts it, or changes its format.
    func start(_ sender: VideoSender, _ format: VideoFormat) {
        let gate = SendGate(sender)
        gate.open()
        MainQueue.run {
            let old = self.gate
            self.gate = gate
            if old == nil { change(.started) }
            change(SoftwareBasedVideoFrameSender(format, gate))
            old?.close()
        }
    }

    func stop() {
        MainQueue.run {
            guard let gate else { return }
            change(.stopping)
            change(nil)
            gate.close()
            self.gate = nil
            change(.stopped)
        }
    }

    func change(_ state: OutgoingVideoStreamState) {
        options.delegate?.rawOutgoingVideoStreamOptions(
            options, didChangeOutgoingVideoStreamState: .init(state))
    }

    private func change(_ sender: VideoFrameSender?) {
        options.delegate?.rawOutgoingVideoStreamOptions(
            options, didChangeVideoFrameSender: .init(sender))
    }
}

/// A camera that an app makes.
public final class VirtualRawOutgoingVideoStream: RawOutgoingVideoStream, @unchecked Sendable {}

/// A screen share that an app makes.
public final class ScreenShareRawOutgoingVideoStream: RawOutgoingVideoStream, @unchecked Sendable {}
