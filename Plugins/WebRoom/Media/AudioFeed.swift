import RoomDecisions
import Synchronization

/// Passes packets from the audio encoders to one viewer, once the viewer is connected.
final class AudioFeed: Sendable {
    private struct State {
        var isOpen = false
        var isRefused = false
        /// The stream whose packets pass; nil before the first packet, and after the stream has ended.
        weak var stream: AudioStream?
        var rewriter: PacketRewriter
    }

    private let slots: Slots
    let slot: Int
    private let state: Mutex<State>

    init(_ slots: Slots, slot: Int, _ rewriter: PacketRewriter) {
        (self.slots, self.slot) = (slots, slot)
        state = Mutex(State(rewriter: rewriter))
    }

    /// The viewer is connected.
    func open() { state.withLock { $0.isOpen = true } }

    /// Ends the feed, because the far end does not accept audio. Its packets would block the video's.
    func refuse() { state.withLock { $0.isRefused = true } }

    /// Passes a packet on.
    func take(_ packet: StreamPacket, of stream: AudioStream) {
        let head = state.withLock { state -> PacketRewriter.Head? in
            guard state.isOpen, !state.isRefused else { return nil }
            if state.stream !== stream || !state.rewriter.continues(packet.facts) {
                state.stream = stream
                state.rewriter.begin(packet.facts, at: packet.departure)
            }
            return state.rewriter.rewrite(packet.facts, at: packet.departure)
        }
        if let head { slots.push(head, packet, isLast: true, to: slot) }
    }
}
