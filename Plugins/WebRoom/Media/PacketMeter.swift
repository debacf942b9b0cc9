import CGStreamer
import RoomDecisions
import Synchronization

/// Counts the packets of a stream before anything keeps or decodes them, and lets none pass once there
/// were too many.
final class PacketMeter: Sendable {
    private struct State {
        var limit: StreamLimit
        var isOver = false
        var packets = 0
        var first: UInt64?
    }

    private let state: Mutex<State>
    private let onExcess: @Sendable (_ reason: String) -> Void

    /// - Parameter onExcess: Called once, on a thread of the pipeline, with the exceeded limit.
    init(
        _ bounds: StreamLimit.Bounds, onExcess: @escaping @Sendable (_ reason: String) -> Void
    ) {
        state = Mutex(State(limit: StreamLimit(bounds)))
        self.onExcess = onExcess
    }

    /// The packets that have come, and when the first one came, on GStreamer's clock; nil before it.
    var arrived: (packets: Int, since: UInt64)? {
        state.withLock { state in state.first.map { (state.packets, $0) } }
    }

    /// Counts packets. [each packet]
    ///
    /// - Returns: Whether they pass.
    func passes(_ packets: Int, _ bytes: Int, endsFrame: Bool) -> Bool {
        let now = greenroom_gst_now()
        let (passes, reason) = state.withLock { state -> (Bool, String?) in
            guard !state.isOver else { return (false, nil) }
            state.packets &+= packets
            if state.first == nil { state.first = now }
            guard
                let excess = state.limit.add(
                    packets: packets, bytes: bytes, endsFrame: endsFrame, at: now)
            else { return (true, nil) }
            // Whole frames are dropped where they are decoded and forwarded.
            guard excess.isFatal else { return (true, nil) }
            state.isOver = true
            return (false, state.limit.text(of: excess))
        }
        if let reason { onExcess(reason) }
        return passes
    }
}
