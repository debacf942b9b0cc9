import CGStreamer
import RoomDecisions
import Synchronization

/// The delay of a guest's media, and their times in the session.
///
/// A jitter buffer gives each packet the time at which it would have arrived without jitter, and moves
/// audio or video so that what belongs together has one time. So both have to wait for their times: audio
/// that is passed on as it arrives would fill the host's queue where the video is late.
final class Arrival: Sendable {
    /// The delay that packets may have after the fastest ones; also the time to wait for a lost packet.
    static let latencyMilliseconds = Int(ArrivalDelay.allowances.upperBound / 1_000_000)

    private struct State {
        var delay = ArrivalDelay()
        /// The sinks of packets for viewers; empty without video.
        var sinks: [Sink] = []
    }

    private let clock: RoomClock
    private let state = Mutex(State())
    private let current = Atomic(ArrivalDelay().nanoseconds)

    init(_ clock: RoomClock) { self.clock = clock }

    /// The delay in the session, in nanoseconds; it changes.
    var delay: Int64 { current.load(ordering: .relaxed) }

    /// The delay of forwarded packets. Audio of the same time passes through the session's mix, so both leave together.
    var forwardDelay: Int64 { delay + RoomVideoEncoder.delay }

    /// The time of the session at which something is to be seen, or to have been heard.
    ///
    /// - Parameters:
    ///   - pts: Its timestamp in the pipeline.
    ///   - delay: A value of ``delay``.
    func time(of pts: UInt64, after delay: Int64) -> Int64 {
        clock.time(pts).addingReportingOverflow(delay).partialValue
    }

    /// Lets the packets of a sink wait for ``forwardDelay``.
    func delay(_ sink: Sink) {
        state.withLock { state in
            state.sinks.append(sink)
            sink.setOffset(forwardDelay)
        }
    }

    /// Counts a packet of Opus that arrives. [each packet]
    ///
    /// - Parameter pts: Its timestamp in the pipeline.
    func add(_ packet: UnsafeBufferPointer<UInt8>, at pts: UInt64) {
        guard let length = OpusPacket.duration(of: packet) else { return }
        let now = Int64(clamping: greenroom_gst_now())
        let time = Int64(clamping: clock.base).addingReportingOverflow(Int64(clamping: pts))
        let lateness = now.subtractingReportingOverflow(time.partialValue).partialValue
        let sinks = state.withLock { state -> [Sink] in
            state.delay.add(length: length, lateness: lateness, at: now)
            let delay = state.delay.nanoseconds
            return current.exchange(delay, ordering: .relaxed) == delay ? [] : state.sinks
        }
        for sink in sinks { sink.setOffset(forwardDelay) }
    }
}
