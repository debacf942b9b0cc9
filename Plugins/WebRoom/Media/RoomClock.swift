import CGStreamer

/// The session's time as timestamps of the room's pipelines: nanoseconds from the room's start, on
/// both clocks.
struct RoomClock: Sendable {
    /// The start on GStreamer's clock: the base of every pipeline.
    let base: UInt64
    private let start: Int64

    /// - Parameter now: The time on the session's clock.
    init(now: Int64) {
        base = greenroom_gst_now()
        start = now
    }

    /// The timestamp of a time of the session.
    func pts(_ nanoseconds: Int64) -> UInt64 {
        UInt64(clamping: nanoseconds.subtractingReportingOverflow(start).partialValue)
    }

    /// The time of the session that a timestamp means.
    func time(_ pts: UInt64) -> Int64 {
        Int64(clamping: pts).addingReportingOverflow(start).partialValue
    }
}
