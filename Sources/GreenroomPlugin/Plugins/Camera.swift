public import GreenroomMedia

/// A video source that draws frames at a steady rate: ``Camera`` or ``Screen``.
///
/// The SDK answers offers, keeps the sender and runs a ``FramePump``. No two calls overlap,
/// although frames are drawn on a separate thread: a plain struct or class needs no lock.
public protocol PumpedVideo: Plugin {
    /// The sizes that the source can make, in any order; a row's rate is its maximum. The session offers
    /// the rows that it can take. The default is empty: the source can make any size.
    static var capabilities: [VideoCapability] { get }

    /// The pixel format of the frames, read when sending starts; I420 by default, never MJPEG.
    var format: PixelFormat { get }

    /// The colour space of the frames, read when sending starts; BT.601 limited by default.
    var color: ColorSpace { get }

    /// Answers the session's offer. The default accepts its suggestion.
    ///
    /// - Parameters:
    ///   - supported: The rows of the offer, largest first; for a screen share the limit alone.
    ///   - suggested: The best row for now.
    /// - Returns: The size and rate that the source draws; `.fixed` if it has no choice.
    mutating func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer

    /// The session renegotiated. Without this callback the SDK keeps a fixed answer, and otherwise
    /// follows the suggestion.
    ///
    /// - Returns: The size and rate from the next frame on; nil accepts the suggestion, as `GR_STATUS_OK`
    ///   does in C.
    /// - Throws: Any error; the source keeps its size, and the host logs the text.
    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer?

    /// Frames start. The default does nothing.
    mutating func onStartSend() throws

    /// Draws a frame. Its initial content is undefined.
    ///
    /// - Parameters:
    ///   - frame: The frame to fill. Its size may change from one frame to the next.
    ///   - time: The time at which the frame shows. Draw for this time, not for the current time.
    /// - Throws: Any error ends the source.
    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) throws

    /// Frames stop; they may start again. The default does nothing.
    mutating func onStopSend()

    /// The sender has ended. The default does nothing.
    mutating func onUninitialized()
}

extension PumpedVideo {
    /// Empty: the source can make any size.
    public static var capabilities: [VideoCapability] { [] }

    /// I420.
    public var format: PixelFormat { .i420 }

    /// BT.601 limited.
    public var color: ColorSpace { .bt601Limited }

    /// Accepts the suggestion.
    public func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer { .accept }

    /// Keeps a fixed answer and otherwise follows the suggestion.
    public func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer? { throw OfferIgnored() }

    /// Does nothing.
    public func onStartSend() throws {}

    /// Does nothing.
    public func onStopSend() {}

    /// Does nothing.
    public func onUninitialized() {}
}

/// A camera in one function: fill this frame for this time.
///
/// ```swift
/// struct Fog: Camera {
///     static let plugin = PluginDescription(
///         id: "com.example.fog", name: "Fog", version: "1.0.0", summary: "Grey that pulses")
///
///     init(settings: NoSettings, host: PluginHost) {}
///
///     mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) {
///         frame.fill(plane: 0, with: UInt8(64 + time.index % 128))
///         frame.fill(plane: 1, with: 128)
///         frame.fill(plane: 2, with: 128)
///     }
/// }
/// ```
public protocol Camera: PumpedVideo {}

extension Camera {
    /// Exports the type as a video source.
    public static var export: PluginExport { PumpedVideoSource<Self>.export }
}

/// A screen share in one function: fill this frame for this time.
public protocol Screen: PumpedVideo {}

extension Screen {
    /// Exports the type as a share source.
    public static var export: PluginExport { ScreenSource<Self>.export }
}
