/// A plugin that takes the session's media: a recorder, a virtual camera, a pipe to another program.
///
/// The host describes each track with `onTrack`; the output answers with what it wants of it. Then
/// `onStart`, the media, and `onStop`. Of each video track an output gets one frame for each period
/// of the rate that it wants, of each audio track every sample, in order. No two calls overlap.
///
/// An output that is slower than its media loses frames and blocks when its queue is full (16 frames,
/// 1 s of audio); the session's report counts them, and nothing else waits.
public protocol Output: Plugin {
    /// A track of the session, or of a participant: these come and go while the session runs. A
    /// second call for a video track of the session follows when its source has agreed on size and
    /// rate, and more while it runs after ``PluginHost/wantsChanged()``; the last answer counts.
    ///
    /// - Returns: What you want of it: `.video()`, `.audio()`, or one that says more; nil for
    ///   nothing.
    /// - Throws: Any error; the session reports its text.
    mutating func onTrack(_ track: Track) throws -> TrackWant?

    /// The session begins: open what you write to. The default does nothing.
    mutating func onStart() throws

    /// Takes a frame. The default does nothing.
    ///
    /// - Throws: Any error; the host counts a failed frame, and its text is logged. An output that
    ///   can't continue calls ``PluginHost/giveUp(_:status:)`` as well.
    mutating func onVideo(_ frame: borrowing OutputFrame) throws

    /// Takes a block of audio. The default does nothing.
    ///
    /// - Throws: As `onVideo`.
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
