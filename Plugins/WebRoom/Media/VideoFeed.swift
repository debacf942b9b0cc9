import CGStreamer
import RoomDecisions
import Synchronization

/// A viewer's slot for video: which stream it has, in which layer.
///
/// It changes with a key frame; until that comes, the same stream's other layer continues. A viewer
/// who keeps asking for key frames waits 1, 2, then 3 s for the next: they cost the other viewers bits.
final class VideoFeed: Sendable {
    /// The layers of a stream that are needed.
    struct Needs: OptionSet {
        let rawValue: UInt16

        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(_ layer: StreamLayer, _ codec: RoomCodec) {
            let group = layer.isForwarded ? 2 : codec == .vp8 ? 0 : 1
            rawValue = 1 << (layer.rendition.rawValue + group * Rendition.allCases.count)
        }

        /// The layers that a guest sends.
        var forwarded: Set<Rendition> {
            Set(
                Rendition.allCases.filter {
                    contains(Needs(StreamLayer(rendition: $0, isForwarded: true), .vp8))
                })
        }

        /// All layers that the room encodes.
        static let encoded = Needs(rawValue: 1 << (2 * Rendition.allCases.count) - 1)
    }

    private struct State {
        var isOpen = false
        var isRefused = false
        var stream: VideoStream?
        /// The layer that the slot should have; nil if none.
        var wanted: StreamLayer?
        /// The intended layer: the wanted one, or another one while that does not arrive; nil if none.
        var target: StreamLayer?
        /// The current layer; nil before a key frame.
        var current: StreamLayer?
        var rewriter: PacketRewriter
        var rule = KeyFrameRule()
        /// Whether a key frame was granted that has not come yet.
        var isOwed = false
    }

    let codec: RoomCodec
    private let slots: Slots
    let slot: Int
    private let state: Mutex<State>

    init(_ slots: Slots, slot: Int, codec: RoomCodec, _ rewriter: PacketRewriter) {
        (self.slots, self.slot, self.codec) = (slots, slot, codec)
        state = Mutex(State(rewriter: rewriter))
    }

    /// The viewer is connected.
    func open() {
        state.withLock { $0.isOpen = !$0.isRefused }
        begin()
    }

    /// Ends the feed, because the far end does not accept the video. Its packets would block the audio's.
    func refuse() { state.withLock { ($0.isRefused, $0.isOpen) = (true, false) } }

    /// Names the medium and the layer in each packet.
    func name(medium: String, layer: String) {
        state.withLock { $0.rewriter.name(medium: medium, layer: layer) }
    }

    /// Forwards a layer of a stream from now on, or its substitute; nil to forward nothing. One call at a time.
    func watch(_ stream: VideoStream?, _ wanted: StreamLayer?) {
        let stream = wanted == nil ? nil : stream
        let layer = wanted.map { stream?.substitute(for: $0) ?? $0 }
        let (old, begins) = state.withLock { state -> (VideoStream?, Bool) in
            let old = state.stream
            let begins = state.target != layer || old !== stream
            (state.wanted, state.target) = (wanted, layer)
            if old !== stream {
                state.stream = stream
                state.current = nil
            }
            return (old, begins)
        }
        if old !== stream {
            old?.remove(self)
            stream?.add(self)
        }
        if begins { begin() }
    }

    /// The layers that the slot needs.
    var needs: Needs {
        state.withLock { state in
            guard !state.isRefused else { return [] }
            var needs: Needs = []
            for layer in [state.wanted, state.target, state.current] {
                if let layer { needs.insert(Needs(layer, codec)) }
            }
            return needs
        }
    }

    /// Interrupts a layer, which continues with its next key frame.
    func interrupt(_ layer: StreamLayer) {
        state.withLock { if $0.current == layer { $0.current = nil } }
    }

    /// Passes a packet on.
    ///
    /// - Returns: Whether a key frame is needed.
    func take(_ packet: StreamPacket, _ layer: StreamLayer, of stream: VideoStream) -> Bool {
        let (head, needsKey) = state.withLock { state -> (PacketRewriter.Head?, Bool) in
            guard state.isOpen, state.stream === stream,
                layer == state.target || layer == state.current
            else {
                return (nil, false)
            }
            // Wait for a key frame, with which a restarted sender begins, too.
            if layer == state.current, !state.rewriter.continues(packet.facts) {
                state.current = nil
            }
            let isTarget = layer == state.target
            if isTarget, packet.facts.startsKeyFrame {
                state.rule.satisfy()
                if state.current != layer {
                    state.rewriter.begin(packet.facts, at: packet.departure)
                }
                (state.current, state.isOwed) = (layer, false)
            }
            let isMissed = isTarget && layer != state.current
            if isTarget, !state.isOwed, isMissed || state.rule.isWaiting {
                // Request a key frame for the viewer, who cannot ask before a packet has arrived.
                state.isOwed =
                    state.rule.isWaiting
                    ? state.rule.isDue(at: Self.now) : state.rule.ask(at: Self.now)
            }
            // Asked for again until it is there: a request just before it may have had its key frame
            // before this feed was open.
            let needsKey = isTarget && state.isOwed
            guard layer == state.current else { return (nil, needsKey) }
            return (state.rewriter.rewrite(packet.facts, at: packet.departure), needsKey)
        }
        if let head { slots.push(head, packet, isLast: packet.facts.isLast, to: slot) }
        return needsKey
    }

    /// Handles a viewer's request after a loss. [any]
    func requestKey() {
        let (stream, layer) = state.withLock { state -> (VideoStream?, StreamLayer?) in
            guard state.isOpen, state.rule.ask(at: Self.now) else { return (nil, nil) }
            state.isOwed = true
            return (state.stream, state.target)
        }
        if let layer { stream?.requestKey(layer, codec) }
    }

    /// Begins the new layer with a key frame.
    private func begin() {
        let (stream, layer) = state.withLock { state -> (VideoStream?, StreamLayer?) in
            guard state.isOpen, state.stream != nil else { return (nil, nil) }
            state.isOwed = state.rule.change(at: Self.now)
            return state.isOwed ? (state.stream, state.target) : (nil, nil)
        }
        if let layer { stream?.requestKey(layer, codec) }
    }

    private static var now: Double { Double(greenroom_gst_now()) / 1e9 }
}
