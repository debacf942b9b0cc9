// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A time of Core Media.
public struct CMTime: Hashable, Sendable {
    /// In parts of a second.
    public var value: Int64
    /// The number of parts of a second.
    public var timescale: Int32

    /// Makes a time from a fraction.
    public init(value: Int64, timescale: Int32) {
        self.value = value
        self.timescale = timescale
    }

    /// Makes a time from seconds.
    public init(seconds: Double, preferredTimescale: Int32) {
        timescale = max(preferredTimescale, 1)
        let parts = (seconds * Double(timescale)).rounded()
        value = Int64(exactly: parts) ?? 0
    }

    /// Seconds.
    public var seconds: Double { Double(value) / Double(max(timescale, 1)) }

    /// Nanoseconds; nil out of range.
    package var nanoseconds: Int64? {
        let (product, isOver) = value.multipliedReportingOverflow(by: 1_000_000_000)
        return isOver ? nil : product / Int64(max(timescale, 1))
    }
}

/// Makes a time from a fraction.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Seconds on the session's clock.
public func CACurrentMediaTime() -> Double {
    Double(VendorHost.current?.nowNanoseconds ?? 0) / 1e9
}

/// A frame with its time and attachments.
public final class CMSampleBuffer: @unchecked Sendable {
    let image: CVImageBuffer
    let attachments: [String: Any]
    let time: CMTime

    package init(_ image: CVImageBuffer, attachments: [String: Any], time: CMTime) {
        self.image = image
        self.attachments = attachments
        self.time = time
    }
}

/// The frame.
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { sbuf.image }

/// The frame's time on the session's clock.
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.time }

/// An attachment; nil if there is none.
public func CMGetAttachment(
    _ target: CMSampleBuffer, key: CFString, attachmentModeOut: UnsafeMutablePointer<UInt32>?
) -> Any? { target.attachments[key] }

/// The attachment that says how the device was held.
public let RPVideoSampleOrientationKey = "RPSampleBufferVideoOrientation"

/// The turn that makes an image upright.
public enum CGImagePropertyOrientation: UInt32, Sendable {
    /// Upright.
    case up = 1
    /// Mirrored.
    case upMirrored
    /// Half a turn.
    case down
    /// Half a turn, mirrored.
    case downMirrored
    /// A quarter turn, mirrored.
    case leftMirrored
    /// A quarter turn clockwise.
    case right
    /// A quarter turn, mirrored.
    case rightMirrored
    /// A quarter turn counter-clockwise.
    case left
}
