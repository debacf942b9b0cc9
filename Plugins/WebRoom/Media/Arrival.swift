/// The arrival of a guest's media at the session, and their timestamps.
///
/// A jitter buffer gives each packet the time at which it would have arrived without jitter, and moves
/// audio or video so that what belongs together has one time. So both have to wait for their times: audio
/// that is passed on as it arrives would fill the host's queue where the video is late.
enum Arrival {
    /// The delay that packets may have after the fastest ones; also the time to wait for a lost packet.
    static let latencyMilliseconds = 80
    /// The properties of a sink that hands media on ``latencyMilliseconds`` after their time.
    static let wait = "sync=true ts-offset=\(latencyMilliseconds * 1_000_000)"
    /// The offset of media timestamps: the host plays audio 100 ms after its time, and audio in
    /// packets of 60 ms is up to 60 ms old.
    private static let delay: Int64 = 60_000_000

    /// The delay of forwarded packets after their timestamp, in nanoseconds. Audio of the same time
    /// passes through the session's mix, so both leave together.
    static let forwardDelay = Int(delay) + RoomVideoEncoder.delay
    /// The properties of a sink that hands packets on then.
    static let forward = "sync=true ts-offset=\(forwardDelay)"

    /// The time of the session at which something is to be seen, or to have been heard.
    ///
    /// - Parameter pts: Its timestamp in the pipeline.
    static func time(of pts: UInt64, on clock: RoomClock) -> Int64 {
        clock.time(pts).addingReportingOverflow(delay).partialValue
    }
}
