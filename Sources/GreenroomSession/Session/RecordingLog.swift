import GreenroomModel

/// The recordings of a session: the state that participants must know, and the pauses.
///
/// A value without a clock: times are arguments, in nanoseconds of session time.
struct RecordingLog: Equatable {
    /// The recording of an output.
    struct Output: Equatable {
        var records: Bool
        var isPaused = false
    }

    struct Pause: Equatable {
        var start: Int64
        /// Nil while the recording is paused.
        var end: Int64?
    }

    /// The report keeps the newest pauses.
    static let limit = 1000

    private(set) var state = RecordingState.off
    private(set) var pauses: [Pause] = []

    /// - Returns: The event; nil if nothing has changed.
    mutating func follow(_ outputs: [Output], at now: Int64) -> SessionEvent? {
        let recording = outputs.filter(\.records)
        let next: RecordingState =
            recording.isEmpty ? .off : recording.allSatisfy(\.isPaused) ? .paused : .on
        guard next != state else { return nil }
        if state == .paused { pauses[pauses.count - 1].end = now }
        if next == .paused {
            if pauses.count == Self.limit { pauses.removeFirst() }
            pauses.append(Pause(start: now))
        }
        state = next
        return .recording(next)
    }
}
