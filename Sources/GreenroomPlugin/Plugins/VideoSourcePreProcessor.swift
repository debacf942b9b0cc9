public import GreenroomMedia

/// A filter that edits a camera's frames in place.
///
/// Frames come on the host's media thread, everything else on the control thread, and never
/// two at a time: a live setting changes between two frames.
public protocol VideoSourcePreProcessor: Plugin {
    /// Frames of this size and rate will come. The default does nothing.
    mutating func onPreProcessInitialize(_ capability: VideoCapability) throws

    /// Frames come from now on. The default does nothing.
    mutating func onPreProcessStart() throws

    /// Edits a frame in place.
    ///
    /// - Parameter frame: I420 in the size that was announced, upright; its colour is in
    ///   ``MutableFrame/info``.
    /// - Throws: Any error; the frame goes on and is counted as unprocessed.
    mutating func onPreProcessRawData(_ frame: inout MutableFrame) throws

    /// No more frames, unless it starts again. The default does nothing.
    mutating func onPreProcessStop()

    /// It is over. The default does nothing.
    mutating func onPreProcessUninitialized()
}

extension VideoSourcePreProcessor {
    /// Does nothing.
    public func onPreProcessInitialize(_ capability: VideoCapability) throws {}

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
