public import GreenroomMedia

/// A plugin that brings other people into a session: a call.
///
/// It is an ``Output``, which takes the session's media and sends them to the far end; each
/// participant's `mixMinus` track has what they are to hear. And it brings the people there into the
/// session: ``PluginHost/join(_:)`` adds a participant, whose tracks have the senders of any source.
public protocol Call: Output {
    /// What is needed of a participant's track from now on: after it was opened, and when that
    /// changes. It may come on another thread before the call that opens the track has returned, and is
    /// not said twice. A track that no output wants need not be received or decoded. The default
    /// does nothing.
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

/// What the session needs of a participant's track.
public struct TrackDemand: Equatable, Sendable {
    /// The track: ``CallVideoTrack/id`` or ``CallAudioTrack/id``.
    public let track: UInt64
    /// Whether any output wants it.
    public let isWanted: Bool
    /// Of video that is wanted, the largest size and rate; else nil.
    public let capability: VideoCapability?
}
