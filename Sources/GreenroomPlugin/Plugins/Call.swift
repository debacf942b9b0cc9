public import GreenroomMedia

/// A plugin that brings other people into a session: a call.
///
/// A call is an ``Output``, which sends the session's media to the far end. Each participant's `mixMinus`
/// track has the audio for that participant to hear. ``PluginHost/join(_:)`` adds a participant, whose
/// tracks have the senders of any source.
public protocol Call: Output {
    /// The session's demand for a participant's track: after the track opened, and at each change. The call
    /// may arrive on another thread before the call that opens the track has returned. Do not receive or
    /// decode a track that no output wants. The default does nothing.
    mutating func onDemand(_ demand: TrackDemand)
}

extension Call {
    /// Does nothing.
    public func onDemand(_ demand: TrackDemand) {}

    /// Exports the type as a call.
    public static var export: PluginExport {
        PluginExport(Self.self, kind: .call) { CallInstance($0) }
    }
}

/// The session's demand for a participant's track.
public struct TrackDemand: Equatable, Sendable {
    /// The track: ``CallVideoTrack/id`` or ``CallAudioTrack/id``.
    public let track: UInt64
    /// Whether any output wants it.
    public let isWanted: Bool
    /// The largest size and rate of wanted video; else nil.
    public let capability: VideoCapability?
}
