/// A plugin that makes one video of the session's tracks: everybody in one picture.
///
/// The host describes each track with `onTrack`. The composer answers with its want, as an ``Output``
/// does, and gets frames and blocks. `fill` draws the composed frames at the agreed rate. Other outputs
/// take them as the track `stage`. No two calls overlap.
///
/// The host starts the composer when an output wants its video, and stops it when none does. While it is
/// stopped, the host converts and decodes nothing for it. It gets no tracks of composers.
///
/// Want video with the pace `.complete`: frames then arrive at once, not 100 ms later.
public protocol Composer: PumpedVideo {
    /// States the want for a track of the session or of a participant. Participants' tracks open and close
    /// while the session runs. More calls follow after ``PluginHost/wantsChanged()``; the last answer counts.
    ///
    /// A participant's `mixMinus` exists from joining to leaving.
    ///
    /// - Returns: The want for the track, such as `.video()` or `.audio()`; nil if none.
    /// - Throws: Any error; the session reports its text.
    mutating func onTrack(_ track: Track) throws -> TrackWant?

    /// Takes a frame. It is valid until the return.
    ///
    /// - Throws: Any error; the host counts a failed frame, and logs the text.
    mutating func onVideo(_ frame: borrowing OutputFrame) throws

    /// Takes a block of audio. The default does nothing.
    ///
    /// - Throws: See `onVideo`.
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
