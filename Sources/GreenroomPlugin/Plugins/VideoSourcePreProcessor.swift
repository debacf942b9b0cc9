public import GreenroomMedia

/// A filter that edits the frames of a camera or a share in place.
///
/// Frames arrive on the host's media thread, everything else on the control thread. No two calls
/// overlap: a live setting changes between two frames.
public protocol VideoSourcePreProcessor: Plugin {
    /// Receives the size and rate of the frames to come. The default does nothing.
    mutating func onPreProcessInitialize(_ capability: VideoCapability) throws

    /// Frames have a new size or rate: the session's limit changed, or a share has another shape.
    ///
    /// If the filter has no such callback, or if it throws, the host scales the frames to the previous size.
    mutating func onPreProcessPropertyChange(_ capability: VideoCapability) throws

    /// Frames start. The default does nothing.
    mutating func onPreProcessStart() throws

    /// Edits a frame in place.
    ///
    /// - Parameter frame: I420 in the announced size, upright; ``MutableFrame/info`` has its
    ///   colour.
    /// - Throws: Any error; the host delivers the frame, and counts it as unprocessed.
    mutating func onPreProcessRawData(_ frame: inout MutableFrame) throws

    /// Frames stop; they may start again. The default does nothing.
    mutating func onPreProcessStop()

    /// The sender has ended. The default does nothing.
    mutating func onPreProcessUninitialized()
}

extension VideoSourcePreProcessor {
    /// Does nothing.
    public func onPreProcessInitialize(_ capability: VideoCapability) throws {}

    /// The frames keep their size.
    public func onPreProcessPropertyChange(_ capability: VideoCapability) throws {
        throw PluginError("this plugin accepts frames of one size", status: .unsupported)
    }

    /// Does nothing.
    public func onPreProcessStart() throws {}

    /// Does nothing.
    public func onPreProcessStop() {}

    /// Does nothing.
    public func onPreProcessUninitialized() {}

    /// Exports the type as a pre-processor.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .preProcessor) { PreProcessorInstance($0) }
    }
}
