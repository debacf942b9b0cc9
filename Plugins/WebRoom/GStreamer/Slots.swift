import CGStreamer
import GreenroomPlugin
import RoomDecisions

/// The slots in which encoded media enter a viewer's connection; each slot is a stream to the far end.
///
/// All slots have one queue and one thread.
struct Slots: Sendable {
    private let source: Element

    /// The elements of a pipeline with slots, except its `webrtcbin`, whose name is `peer`.
    static let elements =
        " appsrc name=media format=time is-live=true max-bytes=0 ! fakesink sync=false async=false"

    /// - Parameters:
    ///   - caps: The formats that the slots get, in order.
    ///   - layers: The number of the last slots that are layers of the first slot's video.
    ///   - onKeyRequest: Called when a slot needs a key frame, on the pipeline's threads.
    init(
        _ caps: [String], layers: Int, of pipeline: Pipeline,
        onKeyRequest: @escaping @Sendable (Int) -> Void
    ) throws(PluginError) {
        source = try pipeline.child("media")
        let webrtc = try pipeline.child("peer")
        let context = greenroom_gst_context(Handler(onKeyRequest))
        guard
            greenroom_peer_route(
                webrtc.pointer, source.pointer, caps.joined(separator: "; "),
                UInt32(clamping: layers), context,
                { value, slot in
                    greenroom_gst_context.object(value, Handler<Int>.self).call(Int(slot))
                })
        else { throw PluginError("GStreamer: cannot link the slots") }
    }

    /// Packets that may wait for the connection.
    private static let longestQueue: UInt64 = 1000

    /// Whether the connection is so slow that frames are left out.
    var isLate: Bool { greenroom_gst_waiting(source.pointer) > Self.longestQueue }

    /// Pushes a packet with another head; never waits.
    ///
    /// - Parameter isLast: Whether it ends a frame: the packets of a frame leave together.
    func push(
        _ head: PacketRewriter.Head, _ packet: StreamPacket, isLast: Bool, to slot: Int
    ) {
        let payload = UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(packet.bytes)[
                head.payload..<packet.facts.payload.upperBound])
        let count = head.count
        head.bytes.span.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let rest = payload.baseAddress else { return }
            greenroom_peer_push(
                source.pointer, UInt32(clamping: slot), start, count, rest, payload.count,
                packet.departure, isLast)
        }
    }
}
