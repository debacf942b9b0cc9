/// A plugin that makes one video of the session's tracks: everybody in one picture.
///
/// The host describes each track with `onTrack`; the composer answers with what it wants of it, as an
/// ``Output`` does, and gets its frames and blocks. `fill` draws the composed frames at the agreed
/// rate. Other outputs take them as the track `stage`. No two calls overlap.
///
/// The composer is started when an output wants its video, and stopped when none does: while it is
/// stopped, the host converts and decodes nothing for it. It never learns of tracks of composers.
///
/// Want video with the pace `.complete`: frames then come at once, not 100 ms later.
public protocol Composer: PumpedVideo {
    /// A track of the session, or of a participant: these come and go while the session runs. More
    /// calls follow after ``PluginHost/wantsChanged()``; the last answer counts.
    ///
    /// A participant's `mixMinus` is there from when they join until they leave.
    ///
    /// - Returns: The want for the track, such as `.video()` or `.audio()`; nil for nothing.
    /// - Throws: Any error; the session reports its text.
    mutating func onTrack(_ track: Track) throws -> TrackWant?

    /// Takes a frame. It is valid until the return.
    ///
    /// - Throws: Any error; the host counts a failed frame, and its text is logged.
    mutating func onVideo(_ frame: borrowing OutputFrame) throws

    /// Takes a block of audio. The default does nothing.
    ///
    /// - Throws: As `onVideo`.
    mutating func onAudio(_ block: borrowing OutputBlock) throws

    /// The track of a participant has ended, whether it was wanted or not. The default does nothing.
    mutating func onTrackEnded(_ track: Track)
}

extension Composer {
    /// Does nothing.
    public func onAudio(_ block: borrowing OutputBlock) throws {}

    /// Does nothing.
    public func onTrackEnded(_ track: Track) {}

    /// Exports the type as a composer.
    public static var export: PluginExport {
        PluginExport(PumpedVideoSource<Self>.self, kind: .composer, capabilities: capabilities) {
            ComposerInstance<Self>($0)
        }
    }
}
