/// Whether a session is recorded.
public enum RecordingState: Sendable {
    /// No output records.
    case off
    /// An output records.
    case on
    /// Every output that records is paused.
    case paused
}
