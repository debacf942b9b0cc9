public import GreenroomMedia

/// A source of pictures that draws them at a steady rate: ``Camera`` or ``Screen``.
///
/// The SDK answers the session, keeps the sender and runs a ``FramePump``. No two calls ever
/// overlap, though drawing has a thread of its own: a plain struct or class needs no lock.
public protocol PumpedVideo: Plugin {
    /// What the source can make at all, in any order; a row's rate is its maximum. The session
    /// offers these sizes as far as it can take them. The default says nothing: the source can
    /// make anything.
    static var capabilities: [VideoCapability] { get }

    /// The layout of the frames, asked for when sending starts; I420 unless said, never MJPEG.
    var format: PixelFormat { get }

    /// What the frames' values mean, asked for when sending starts; BT.601 limited unless said.
    var color: ColorSpace { get }

    /// What the session can take. The default accepts its suggestion.
    ///
    /// - Parameters:
    ///   - supported: Largest first; of a screen share the one row that is the limit.
    ///   - suggested: The best row for now.
    /// - Returns: What will be drawn; `.fixed` for a size and rate that cannot be chosen.
    mutating func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer

    /// The session renegotiated.
    ///
    /// - Returns: What is drawn from the next frame on. Nil, the default, stays with a fixed
    ///   answer and follows the suggestion otherwise.
    mutating func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer?

    /// Drawing begins. The default does nothing.
    mutating func onStartSend() throws

    /// Draws a frame, whose content is undefined at first.
    ///
    /// - Parameters:
    ///   - frame: What to fill. Its size may change from one frame to the next.
    ///   - time: When it shows. Draw for this time, not for the time that it is now.
    /// - Throws: Any error gives the source up.
    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) throws

    /// No more frames, unless it starts again. The default does nothing.
    mutating func onStopSend()

    /// It is over. The default does nothing.
    mutating func onUninitialized()
}

extension PumpedVideo {
    /// Says nothing.
    public static var capabilities: [VideoCapability] { [] }

    /// I420.
    public var format: PixelFormat { .i420 }

    /// BT.601 limited.
    public var color: ColorSpace { .bt601Limited }

    /// Accepts the suggestion.
    public func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer { .accept }

    /// Stays with a fixed answer and follows the suggestion otherwise.
    public func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? { nil }

    /// Does nothing.
    public func onStartSend() throws {}

    /// Does nothing.
    public func onStopSend() {}

    /// Does nothing.
    public func onUninitialized() {}
}

/// A camera that is one function: fill this frame for this time.
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
    public static var export: PluginExport { CameraSource<Self>.export }
}

/// A screen share that is one function: fill this frame for this time.
public protocol Screen: PumpedVideo {}

extension Screen {
    /// Exports the type as a share source.
    public static var export: PluginExport { ScreenSource<Self>.export }
}
