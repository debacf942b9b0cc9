import CGStreamer
import GreenroomPlugin
import RoomDecisions

/// The slots in which encoded media enter a viewer's connection; each slot is a stream to the far end.
struct Slots: Sendable {
    private let webrtc: Element

    /// - Parameters:
    ///   - caps: The formats that the slots get, in order.
    ///   - layers: The number of the last slots that are layers of the first slot's video.
    ///   - onKeyRequest: Called when a slot needs a key frame, on the pipeline's threads.
    init(
        _ caps: [String], layers: Int, of pipeline: Pipeline,
        onKeyRequest: @escaping @Sendable (Int) -> Void
    ) throws(PluginError) {
        webrtc = try pipeline.child("peer")
        let context = greenroom_gst_context(Handler(onKeyRequest))
        guard
            greenroom_peer_route(
                webrtc.pointer, caps.joined(separator: "; "), UInt32(clamping: layers), context,
                { value, slot in
                    greenroom_gst_context.object(value, Handler<Int>.self).call(Int(slot))
                })
        else { throw PluginError("GStreamer: cannot link the slots") }
    }

    /// Pushes a packet with another head, through the connection's elements. Never waits for the network, which loses
    /// what it cannot carry.
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
                webrtc.pointer, UInt32(clamping: slot), start, count, rest, payload.count,
                packet.departure, isLast)
        }
    }
}
