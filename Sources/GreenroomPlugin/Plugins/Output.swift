/// A plugin that receives the session's media: a recorder, a virtual camera, a pipe to another program.
///
/// The host describes each track with `onTrack`, and the output answers with its want. Then the host
/// calls `onStart`, delivers the media, and calls `onStop`. An output gets one video frame for each
/// period of its wanted rate, and every audio sample, in order. No two calls overlap.
///
/// A slow output loses frames and blocks when its queue is full (16 frames, 1 s of audio). The session's
/// report counts them. No other output and no source waits.
public protocol Output: Plugin {
    /// States the want for a track of the session or of a participant. Participants' tracks open and close
    /// while the session runs. A second call for a video track of the session follows when its source has
    /// agreed on size and rate, and more calls after ``PluginHost/wantsChanged()``; the last answer counts.
    ///
    /// - Returns: The want: `.video()`, `.audio()`, or a want with details; nil if none.
    /// - Throws: Any error; the session reports its text.
    mutating func onTrack(_ track: Track) throws -> TrackWant?

    /// The session begins: open the destination. The default does nothing.
    mutating func onStart() throws

    /// Takes a frame. The default does nothing.
    ///
    /// - Throws: Any error; the host counts a failed frame, and logs the text. If the output can't continue,
    ///   also call ``PluginHost/giveUp(_:status:)``.
    mutating func onVideo(_ frame: borrowing OutputFrame) throws

    /// Takes a block of audio. The default does nothing.
    ///
    /// - Throws: See `onVideo`.
    mutating func onAudio(_ block: borrowing OutputBlock) throws

    /// The track of a participant has ended: every frame and block of it was delivered. Called for the
    /// tracks that the output wants, unless ``onStop()`` comes first. The default does nothing.
    mutating func onTrackEnded(_ track: Track)

    /// Every frame and block was delivered: finish, flush and close. The default does nothing.
    mutating func onStop()

    /// The output has ended. The default does nothing.
    mutating func onUninitialized()
}

extension Output {
    /// Does nothing.
    public func onStart() throws {}

    /// Does nothing.
    public func onVideo(_ frame: borrowing OutputFrame) throws {}

    /// Does nothing.
    public func onAudio(_ block: borrowing OutputBlock) throws {}

    /// Does nothing.
    public func onTrackEnded(_ track: Track) {}

    /// Does nothing.
    public func onStop() {}

    /// Does nothing.
    public func onUninitialized() {}

    /// Exports the type as an output.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .output) { OutputInstance($0) }
    }
}
