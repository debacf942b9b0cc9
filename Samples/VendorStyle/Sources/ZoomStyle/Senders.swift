// The names are the vendor's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase
@_exported import AppleMediaStyle

/// The clockwise turn that makes a frame upright.
public enum ZoomVideoSDKVideoRawDataRotation: Int, Sendable {
    /// Upright.
    case none = 1
    /// A quarter turn.
    case rotation90
    /// Half a turn.
    case rotation180
    /// Three quarters of a turn.
    case rotation270

    var rotation: Rotation {
        switch self {
        case .none: .none
        case .rotation90: .quarter
        case .rotation180: .half
        case .rotation270: .threeQuarters
        }
    }
}

/// The range of I420 values.
public enum ZoomVideoSDKFrameDataFormat: UInt, Sendable {
    /// 0 to 255.
    case I420 = 1
    /// 16 to 235.
    case I420_Limit

    /// As ``I420``.
    public static let i420 = Self.I420
    /// As ``I420_Limit``.
    public static let i420_Limit = Self.I420_Limit

    var color: ColorSpace { self == .I420 ? .bt601Full : .bt601Limited }
}

/// A size and a frame rate.
public final class ZoomVideoSDKVideoCapability: NSObject, @unchecked Sendable {
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int
    /// Frames a second.
    public var frame: Int

    init(_ capability: VideoCapability) {
        (width, height) = (capability.size.width, capability.size.height)
        frame = Int(capability.rate.framesPerSecond.rounded())
    }
}

/// Sends a camera's frames. It sends from any thread, and never waits.
public final class ZoomVideoSDKVideoSender: NSObject, @unchecked Sendable {
    let gate: SendGate<VideoSender>
    let sizes = AgreedSizes()

    init(_ sender: VideoSender) { gate = SendGate(sender) }

    /// Sends a frame: Y, then U, then V, without padding.
    @discardableResult
    public func sendVideoFrame(
        _ frameBuffer: UnsafePointer<CChar>?, width: UInt, height: UInt, dataLength: UInt,
        rotation: ZoomVideoSDKVideoRawDataRotation, format: ZoomVideoSDKFrameDataFormat
    ) -> ZoomVideoSDKError {
        gate.send(
            frameBuffer, width, height, dataLength, rotation, format, sizes,
            stopped: .Errors_Video_Module_Not_Ready)
    }
}

/// Sends a share's frames. It sends from any thread, and never waits.
public final class ZoomVideoSDKShareSender: NSObject, @unchecked Sendable {
    let gate: SendGate<VideoSender>

    init(_ sender: VideoSender) { gate = SendGate(sender) }

    /// Sends a frame: Y, then U, then V, without padding.
    @discardableResult
    public func sendShareFrame(
        _ frameBuffer: UnsafePointer<CChar>?, width: UInt, height: UInt, frameLength: UInt,
        format: ZoomVideoSDKFrameDataFormat
    ) -> ZoomVideoSDKError {
        gate.send(
            frameBuffer, width, height, frameLength, .none, format, nil,
            stopped: .Errors_Share_Module_Not_Ready)
    }
}

/// Sends a microphone's audio, from any thread. It waits until the host has room, so a loop that
/// only sends has the right pace.
public final class ZoomVideoSDKAudioSender: NSObject, @unchecked Sendable {
    let gate: SendGate<AudioSender>

    init(_ sender: AudioSender) { gate = SendGate(sender) }

    /// Sends mono audio.
    @discardableResult
    public func send(
        _ data: UnsafePointer<CChar>?, dataLength: UInt32, sampleRate: UInt32
    ) -> ZoomVideoSDKError {
        send(data, dataLength: dataLength, sampleRate: sampleRate, channels: 1)
    }

    /// Sends audio of one or two channels, 16-bit, interleaved.
    @discardableResult
    public func send(
        _ data: UnsafePointer<CChar>?, dataLength: UInt32, sampleRate: UInt32, channels: UInt32
    ) -> ZoomVideoSDKError {
        guard let data, dataLength.isMultiple(of: 2) else { return .Errors_Invalid_Parameter }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(dataLength))
        // The bytes of a chunk need not lie on an even address.
        let samples = [Int16](unsafeUninitializedCapacity: bytes.count / 2) { samples, count in
            UnsafeMutableRawBufferPointer(samples).copyMemory(from: bytes)
            count = bytes.count / 2
        }
        let format = AudioFormat(sampleRate: Int(sampleRate), channels: Int(channels))
        let refusal = gate.send { sender throws(SendRefusal) in
            try sender.send(samples, format: format)
        }
        return ZoomVideoSDKError(refusal, stopped: .Errors_Rawdata_Virtual_Mic_Is_Terminate)
    }
}

extension SendGate<VideoSender> {
    /// Sends a frame of the caller's memory.
    fileprivate func send(
        _ buffer: UnsafePointer<CChar>?, _ width: UInt, _ height: UInt, _ length: UInt,
        _ rotation: ZoomVideoSDKVideoRawDataRotation, _ format: ZoomVideoSDKFrameDataFormat,
        _ sizes: AgreedSizes?, stopped: ZoomVideoSDKError
    ) -> ZoomVideoSDKError {
        guard let buffer, (1...8192).contains(width), (1...8192).contains(height) else {
            return .Errors_Invalid_Parameter
        }
        let size = FrameSize(width: Int(width), height: Int(height))
        let chromaWidth = (size.width + 1) / 2
        let (luma, chroma) = (size.width * size.height, chromaWidth * ((size.height + 1) / 2))
        guard length >= UInt(luma + 2 * chroma) else { return .Errors_Invalid_Parameter }
        let rotation = rotation.rotation
        let info = FrameInfo(
            rotation: rotation, color: format.color,
            offerRevision: sizes?.revision(of: size, turned: rotation) ?? 0)
        func bytes(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: buffer + offset, count: count)
        }
        let refusal = send { sender throws(SendRefusal) in
            let planes = FramePlanes(
                y: .init(RawSpan(_unsafeBytes: bytes(0, luma)), strideBytes: size.width),
                u: .init(RawSpan(_unsafeBytes: bytes(luma, chroma)), strideBytes: chromaWidth),
                v: .init(
                    RawSpan(_unsafeBytes: bytes(luma + chroma, chroma)), strideBytes: chromaWidth))
            try sender.send(format: .i420, size: size, planes: planes, info: info)
        }
        return ZoomVideoSDKError(refusal, stopped: stopped)
    }
}
