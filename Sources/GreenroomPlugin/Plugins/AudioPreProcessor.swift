public import GreenroomMedia

/// A filter that edits the audio of a microphone, a share or a call's participants in place.
///
/// Blocks arrive on the host's media thread, everything else on the control thread. No two calls
/// overlap: a live setting changes between two blocks.
public protocol AudioPreProcessor: Plugin {
    /// Its channels and its delay, read once when the instance is made. The default is stereo without delay.
    var editing: AudioEditing { get }

    /// Blocks start: forget earlier samples. The default does nothing.
    mutating func onPreProcessStart() throws

    /// Edits a block of 10 ms of 48 kHz in place. Blocks come in order.
    ///
    /// - Throws: Any error; the host plays the unedited block, and counts it as unprocessed.
    mutating func onPreProcessRawData(_ block: inout MutableAudioBlock) throws

    /// Blocks stop; they may start again. The default does nothing.
    mutating func onPreProcessStop()
}

extension AudioPreProcessor {
    /// Stereo without delay.
    public var editing: AudioEditing { AudioEditing() }

    /// Does nothing.
    public func onPreProcessStart() throws {}

    /// Does nothing.
    public func onPreProcessStop() {}

    /// Exports the type as an audio pre-processor.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .audioPreProcessor) { AudioPreProcessorInstance($0) }
    }
}
