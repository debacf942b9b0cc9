import CGStreamer
import RoomDecisions
import Synchronization

/// The times of the packets of one video. [each packet]
final class PacketTimes: Sendable {
    private let times = Mutex(FrameTimes())
    private let base: UInt64
    private let onReordered: @Sendable () -> Void

    /// - Parameters:
    ///   - base: The start of the pipeline's time on GStreamer's clock.
    ///   - onReordered: Called once if the video has B-frames.
    init(base: UInt64, onReordered: @escaping @Sendable () -> Void) {
        (self.base, self.onReordered) = (base, onReordered)
    }

    /// The time of a packet.
    ///
    /// - Parameter pts: The jitter buffer's; `UInt64.max` for none.
    func time(_ timestamp: UInt32, _ pts: UInt64) -> UInt64 {
        guard pts != .max else { return pts }
        let arrival = Int64(clamping: greenroom_gst_now()) &- Int64(clamping: base)
        let (time, isNew) = times.withLock { times in
            let old = times.isReordered
            let time = times.time(timestamp: timestamp, arrival: arrival, label: pts)
            return (time, times.isReordered && !old)
        }
        if isNew { onReordered() }
        return time
    }
}
