import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A person who watches streams, hears the room, or both.
final class Viewer: Sendable {
    /// The current content of a slot.
    struct Shown: Equatable, Sendable {
        var slot: Int
        var stream: UInt32
        /// The sent size; nil if the network has no room for the video.
        var size: FrameSize?
        /// The size of the full rendition.
        var whole: FrameSize
        /// Whether the room passes a guest's packets on; otherwise it encodes.
        var isForwarded: Bool
        /// Whether it is less than wanted because of the network.
        var isLowered: Bool
    }

    private struct State {
        var wishes: [SlotWish] = []
        /// The renditions that the layers of a published video may have, by their slots.
        var allowed: [Int: ClosedRange<Rendition>] = [:]
        var plan = SlotPlan()
        var estimator = BandwidthEstimator()
        /// Whether the far end reports received packets. Without reports, the room sends everything.
        var hasFeedback = false
        var shares: [Int: SlotPlan.Share] = [:]
        var shown: [Shown] = []
        var far = RoomMarks.Far([])
    }

    let id: String
    /// The viewer's address; nil if the address has no separate limit.
    let address: String?
    let peer: Peer
    /// A slot each, in the order of the offer's videos.
    let videos: [VideoFeed]
    let audio: AudioFeed?
    /// Whether the viewer has requested a single stream, and leaves when the stream ends.
    let isOfOneStream: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - streams: The streams of the answer.
    ///   - isOffered: Whether the room makes the offer.
    ///   - stream: The stream in the only slot; nil: the streams of ``wish(for:)``.
    ///   - onTight: Called when the network carries less than before, on the pipeline's threads.
    ///   - onGone: Called when the connection is lost, on the pipeline's threads.
    init(
        _ id: String, streams: [MediaStream], isOffered: Bool, stream: UInt32?, address: String?,
        services: RoomServices,
        onTight: @escaping @Sendable () -> Void, onGone: @escaping @Sendable (String) -> Void
    ) throws {
        let slots = streams.map { Self.slot(of: $0, isOffered: isOffered) }
        (self.id, self.address) = (id, address)
        isOfOneStream = stream != nil
        let opening = Opening()
        let feedback = Handler<greenroom_peer_feedback> { opening.take($0) }
        peer = try Peer(
            latencyMilliseconds: 0, bounds: .viewer,
            events: Peer.Events(
                onConnected: { opening.open() }, onGone: onGone,
                onFeedback: { feedback.call($0) }),
            services: services)
        do throws(PluginError) {
            let layers = streams.dropFirst().count { $0.layer != nil }
            let ways = try Slots(slots.map(\.caps), layers: layers, of: peer.pipeline) {
                opening.requestKey($0)
            }
            videos = slots.enumerated().compactMap { number, slot in
                slot.codec.map { VideoFeed(ways, slot: number, codec: $0, slot.rewriter) }
            }
            audio = slots.firstIndex { $0.codec == nil }.map {
                AudioFeed(ways, slot: $0, slots[$0].rewriter)
            }
        } catch {
            peer.stop()
            throw error
        }
        state.withLock { state in
            if let stream, !videos.isEmpty {
                state.wishes = [SlotWish(slot: 0, stream: stream, lines: SlotWish.mostLines)]
            }
            state.hasFeedback = streams.contains { $0.transportWide != nil }
        }
        opening.set(self, onTight: onTight)
    }

    /// The rooms of the far end, if the viewer is a room.
    var far: RoomMarks.Far { state.withLock { $0.far } }

    /// Sets the rooms of the far end.
    func setFar(_ far: RoomMarks.Far) { state.withLock { $0.far = far } }

    /// Leaves the slots empty that the far end does not accept.
    func setServed(_ served: [Bool]) {
        let refused = Set(served.indices.filter { !served[$0] })
        for video in videos where refused.contains(video.slot) { video.refuse() }
        if let audio, refused.contains(audio.slot) { audio.refuse() }
    }

    /// Sends the published video in the layers that the far end accepts, or in one stream if there are none.
    ///
    /// - Parameter medium: The name of the video's medium.
    func setLayers(_ layers: [Rendition], in medium: String?) {
        let allowed = Simulcast.renditions(of: layers)
        for (slot, layer) in zip(videos.indices, Simulcast.offered) {
            if let medium, allowed[layer] != nil {
                videos[slot].name(medium: medium, layer: layer.layer)
            } else if slot > 0 || !layers.isEmpty {
                videos[slot].refuse()
            }
        }
        guard !layers.isEmpty else { return }
        state.withLock { state in
            guard let stream = state.wishes.first?.stream else { return }
            state.wishes = []
            for (slot, layer) in zip(videos.indices, Simulcast.offered) {
                guard let range = allowed[layer] else { continue }
                state.allowed[slot] = range
                state.wishes.append(
                    SlotWish(slot: slot, stream: stream, lines: SlotWish.mostLines))
            }
        }
    }

    /// Says whether the far end will report what arrives.
    func setFeedback(_ hasFeedback: Bool) { state.withLock { $0.hasFeedback = hasFeedback } }

    // MARK: Requested and received streams

    /// Takes what the page wants.
    func wish(for wishes: [SlotWish]) throws(RequestError) {
        guard !isOfOneStream else { throw .bad("the connection is for one stream") }
        try SlotWish.check(wishes, slots: videos.count)
        state.withLock { $0.wishes = wishes }
    }

    /// The stream of a viewer who has asked for one.
    var onlyStream: UInt32? {
        isOfOneStream ? state.withLock { $0.wishes.first?.stream } : nil
    }

    /// The content of the slots.
    var shown: [Shown] { state.withLock { $0.shown } }

    /// The capacity of the network, in bits a second; nil: unknown.
    var bandwidth: Double? {
        state.withLock { $0.hasFeedback ? $0.estimator.bitsPerSecond : nil }
    }

    /// Takes what the far end reports of the packets that were sent to it.
    ///
    /// - Returns: Whether the network carries less than before.
    func take(_ feedback: greenroom_peer_feedback) -> Bool {
        let seconds = Double(greenroom_gst_now()) / 1e9
        return state.withLock { state in
            state.hasFeedback = true
            return state.estimator.add(
                BandwidthEstimator.Feedback(
                    seconds: seconds, packets: Int(feedback.packets), lost: Int(feedback.lost),
                    bytes: Int(clamping: feedback.bytes),
                    delay: feedback.delay == .min ? nil : Double(feedback.delay) / 1e9))
        }
    }

    /// Gives each slot what its share of the network allows. [the room's queue for that]
    ///
    /// - Returns: Whether something else is shown than before.
    func adapt(_ streams: [UInt32: VideoStream], now: Double) -> Bool {
        struct Wanted {
            var wish: SlotWish
            var stream: VideoStream
            var whole: VideoCapability
            var sent: [Rendition: SlotPlan.SentLayer]
        }
        let (wanted, shares) = state.withLock { state in
            let wanted = state.wishes.compactMap { wish in
                streams[wish.stream].flatMap { stream in
                    stream.whole.map {
                        Wanted(
                            wish: wish, stream: stream, whole: $0,
                            sent: stream.sent(in: videos[wish.slot].codec))
                    }
                }
            }
            let wishes = wanted.map { wanted in
                SlotPlan.Wish(
                    slot: wanted.wish.slot, lines: wanted.wish.lines, whole: wanted.whole,
                    sent: wanted.sent,
                    allowed: state.allowed[wanted.wish.slot] ?? .low ... .full)
            }
            state.shares = state.plan.shares(
                of: wishes, within: state.hasFeedback ? state.estimator.bitsPerSecond : nil,
                at: now)
            return (wanted, state.shares)
        }
        var shown: [Shown] = []
        var used: Set<Int> = []
        for wanted in wanted {
            let slot = wanted.wish.slot
            let layer = shares[slot]?.rendition.map {
                wanted.stream.layer($0, videos[slot].codec)
            }
            videos[slot].watch(wanted.stream, layer)
            used.insert(slot)
            let full = wanted.stream.layer(.full, videos[slot].codec)
            shown.append(
                Shown(
                    slot: slot, stream: wanted.wish.stream,
                    size: layer.map(wanted.stream.substitute).flatMap(wanted.stream.size),
                    whole: wanted.stream.size(of: full) ?? wanted.whole.size,
                    isForwarded: layer?.isForwarded ?? false,
                    isLowered: shares[slot]?.isLowered ?? false))
        }
        for slot in videos.indices where !used.contains(slot) { videos[slot].watch(nil, nil) }
        return state.withLock { state in
            defer { state.shown = shown }
            return state.shown != shown
        }
    }

    /// The viewer's wish for a stream and the share that it gets; nil without a wish.
    func use(of stream: UInt32) -> (wish: SlotWish, share: SlotPlan.Share)? {
        state.withLock { state in
            guard let wish = state.wishes.first(where: { $0.stream == stream }),
                let share = state.shares[wish.slot]
            else { return nil }
            return (wish, share)
        }
    }

    /// Stops forwarding all streams. [the room's queue for adapting]
    func leave() { for video in videos { video.watch(nil, nil) } }

    // MARK: The connection

    /// The form of a slot: the codec and the caps of its packets.
    private struct SlotForm {
        /// Nil for audio.
        var codec: RoomCodec?
        var caps: String
        var rewriter: PacketRewriter
    }

    /// Makes a slot for a stream. The slots keep the order of the offer, because GStreamer assigns them in
    /// that order.
    private static func slot(of stream: MediaStream, isOffered: Bool) -> SlotForm {
        let source = UInt32.random(in: 1...UInt32.max)
        return SlotForm(
            codec: stream.video,
            caps: stream.caps(isOffered: isOffered) + ",ssrc=(uint)\(source)",
            rewriter: PacketRewriter(source: source, stream))
    }
}

extension MediaStream {
    /// The caps of the stream's packets, in GStreamer's language. From the untrusted description, they
    /// contain only numbers.
    ///
    /// - Parameter isOffered: Whether the room makes the offer, and so says all parameters.
    func caps(isOffered: Bool) -> String {
        let begin =
            "application/x-rtp,media=\(video == nil ? "audio" : "video"),encoding-name=\(codec),"
        guard let video else {
            return begin + "clock-rate=48000,payload=\(payload),encoding-params=(string)2"
        }
        var caps =
            begin + "clock-rate=90000,payload=\(payload),rtcp-fb-nack=(boolean)true,"
            + "rtcp-fb-nack-pli=(boolean)true"
        if isOffered, video == .h264 {
            caps += ",packetization-mode=(string)1,profile-level-id=(string)42e01f"
        }
        for named in Simulcast.Extension.allCases {
            if let id = extensions[named] { caps += ",extmap-\(id)=(string)\"\(named.uri)\"" }
        }
        if let transportWide {
            caps +=
                ",rtcp-fb-transport-cc=(boolean)true,extmap-\(transportWide)=(string)\""
                + "\(SDPDescription.transportWideURI)\""
        }
        return caps
    }
}
