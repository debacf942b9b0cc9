import AppleMediaStyle

// Streams that the device or a view takes part in. A plugin has neither, so these compile and have no effect.

/// Hears of a device's camera, on the main queue.
public protocol LocalVideoStreamDelegate: AnyObject {
    /// Never called.
    func localVideoStream(
        _ localVideoStream: LocalVideoStream, didChangeState args: VideoStreamStateChangedEventArgs)
}

/// A device's camera: a plugin has none.
public final class LocalVideoStream: OutgoingVideoStream, @unchecked Sendable {
    /// Hears of it.
    public weak var delegate: (any LocalVideoStreamDelegate)?

    /// Makes a stream that sends nothing.
    public init(camera: VideoDeviceInfo) {
        VendorHost.explain("LocalVideoStream", "VirtualOutgoingVideoStream sends the app's frames")
        super.init(.localOutgoing, .outgoing, .video)
    }
}

/// Hears of a participant's video that a view shows, on the main queue.
public protocol RemoteVideoStreamDelegate: AnyObject {
    /// Never called.
    func remoteVideoStream(
        _ remoteVideoStream: RemoteVideoStream,
        didChangeState args: VideoStreamStateChangedEventArgs)
}

/// A participant's video that a view shows: a plugin gets a `RawIncomingVideoStream` instead.
public final class RemoteVideoStream: IncomingVideoStream, @unchecked Sendable {
    /// Hears of it.
    public weak var delegate: (any RemoteVideoStreamDelegate)?
}

/// The fit of a video in a view.
public enum ScalingMode: Int, Sendable {
    /// It fills the view.
    case crop = 1
    /// It is whole.
    case fit
}

/// The options of a view.
public final class CreateViewOptions: NSObject {
    /// Makes options.
    public init(scalingMode: ScalingMode) {}
}

/// A view, which nobody sees.
public final class RendererView: UIView {
    /// Ends it.
    public func dispose() {}
}

/// Makes views, which nobody sees.
public final class VideoStreamRenderer: NSObject {
    /// Makes a renderer.
    public init(remoteVideoStream: RemoteVideoStream) throws {}
    /// Makes a renderer.
    public init(localVideoStream: LocalVideoStream) throws {}

    /// Makes a view.
    public func createView(withOptions options: CreateViewOptions?) throws -> RendererView {
        RendererView()
    }

    /// Ends it.
    public func dispose() {}
}
