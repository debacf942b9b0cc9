/// Whether a track shows anything.
public enum RawDataStatus: Sendable {
    /// The source sends frames.
    case on
    /// The track has no frames: it is muted or stopped, its source was lost, or it has ended.
    case off
}

/// An output of video, which subscribes to tracks, for example to each participant's camera.
///
/// A track is off until its first frame. No two calls overlap. The host scales and converts frames to
/// the subscription. It neither converts nor receives a track without a subscription. If you need a
/// frame for each period, black frames too, write an ``Output``.
public protocol RawVideoReceiver: Plugin {
    /// Subscribes to a video track of the session or of a participant. Participants' tracks open and close
    /// while the session runs.
    ///
    /// - Returns: Format, size and rate of its frames:
    ///   `VideoTrackWant(size: FrameSize(width: 640, height: 360))`; nil for no subscription.
    /// - Throws: Any error; the session reports its text.
    mutating func subscription(to track: Track) throws -> VideoTrackWant?

    /// The session begins: open the destination. The default does nothing.
    mutating func onStart() throws

    /// Takes a frame of a track that is on: `frame.track` names the track, and `frame.content` says whether
    /// the frame is new or repeated.
    ///
    /// - Throws: Any error; the host counts a failed frame, and logs the text.
    mutating func onRawDataFrameReceived(_ frame: borrowing OutputFrame) throws

    /// A track is on from its next frame, or off. The default does nothing.
    mutating func onRawDataStatusChanged(_ status: RawDataStatus, of track: Track)

    /// Every frame was delivered: finish, flush and close. Tracks that are on are not reported as off
    /// before. The default does nothing.
    mutating func onStop()

    /// The receiver has ended. The default does nothing.
    mutating func onUninitialized()
}

extension RawVideoReceiver {
    /// Does nothing.
    public func onStart() throws {}

    /// Does nothing.
    public func onRawDataStatusChanged(_ status: RawDataStatus, of track: Track) {}

    /// Does nothing.
    public func onStop() {}

    /// Does nothing.
    public func onUninitialized() {}

    /// Exports the type as an output.
    public static var export: PluginExport { ReceiverOutput<Self>.export }
}

/// Makes a ``RawVideoReceiver`` an ``Output``.
struct ReceiverOutput<Receiver: RawVideoReceiver>: Output {
    static var plugin: PluginDescription { Receiver.plugin }

    private var receiver: Receiver
    /// The tracks that are on, by their ids.
    private var on: Set<UInt32> = []

    init(settings: Receiver.Settings, host: PluginHost) throws {
        receiver = try Receiver(settings: settings, host: host)
    }

    mutating func onSettingsChange(_ settings: Receiver.Settings) {
        receiver.onSettingsChange(settings)
    }

    mutating func onSessionEvent(_ json: String) { receiver.onSessionEvent(json) }

    mutating func onTrack(_ track: Track) throws -> TrackWant? {
        guard track.kind.isVideo else { return nil }
        return try receiver.subscription(to: track).map { .video($0) }
    }

    mutating func onStart() throws {
        on = []
        try receiver.onStart()
    }

    mutating func onVideo(_ frame: borrowing OutputFrame) throws {
        switch frame.content {
        case .new, .repeated: set(.on, frame.track)
        case .black, .slate: set(.off, frame.track)
        }
        guard on.contains(frame.track.id) else { return }
        try receiver.onRawDataFrameReceived(frame)
    }

    mutating func onTrackEnded(_ track: Track) { set(.off, track) }
    mutating func onStop() { receiver.onStop() }
    mutating func onUninitialized() { receiver.onUninitialized() }

    /// Reports a status that is news.
    private mutating func set(_ status: RawDataStatus, _ track: Track) {
        let isNews =
            switch status {
            case .on: on.insert(track.id).inserted
            case .off: on.remove(track.id) != nil
            }
        if isNews { receiver.onRawDataStatusChanged(status, of: track) }
    }
}
