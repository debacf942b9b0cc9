import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A video track of the session, as viewers get it: packets of the guest who sends it, or renditions that the
/// room encodes once for each codec, and only while a viewer needs them.
final class VideoStream: Sendable {
    private struct State {
        var track: Track
        /// The guest's video; nil if the session or another call sends the track.
        var source: RemoteVideo?
        var encoders: [RoomVideoEncoder] = []
        var feeds: [VideoFeed] = []
        /// Whether nothing is encoded any more.
        var hasEnded = false
    }

    private let room: RoomServices
    private let state: Mutex<State>

    init(_ track: Track, room: RoomServices) {
        self.room = room
        state = Mutex(State(track: track))
    }

    var track: Track { state.withLock { $0.track } }

    /// Its source has agreed on a size and a rate.
    func update(_ track: Track) { state.withLock { $0.track = track } }

    // MARK: Requested format

    /// The current want for the track; nil while no viewer needs a rendition that the room encodes.
    var want: TrackWant? {
        let track = track
        guard isEncoded, let own = track.capability else { return nil }
        // Browsers take VP8 for BT.601, whatever its size. Frames have this size also while the
        // source makes less: then the half rendition has all of it.
        let whole = Self.whole(of: own, track)
        return .video(VideoTrackWant(size: whole.size, rate: whole.rate, matrix: .bt601))
    }

    /// Whether a viewer needs a rendition that the room encodes.
    var isEncoded: Bool {
        !Self.needs(of: state.withLock { $0.feeds }).isDisjoint(with: .encoded)
    }

    // MARK: Forwarding

    /// Sets the guest whose packets viewers get; nil: none. One call at a time.
    func forward(from source: RemoteVideo?) {
        let old = state.withLock { state in
            let source = state.hasEnded ? nil : source
            defer { state.source = source }
            return state.source
        }
        guard old !== source else { return }
        old?.setViewers(nil)
        source?.setViewers(self)
    }

    /// Sets the lines in which the largest viewer shows the stream; nil without a viewer.
    ///
    /// - Returns: Whether the guest must send another size, or other layers.
    func setLines(_ lines: Int?) -> Bool {
        let (source, feeds) = state.withLock { ($0.source, $0.feeds) }
        return source?.setUse(lines: lines, watched: Self.needs(of: feeds).forwarded) ?? false
    }

    /// The layer of a rendition for viewers with a codec.
    func layer(_ rendition: Rendition, _ codec: RoomCodec) -> StreamLayer {
        let source = state.withLock { $0.source }
        let isForwarded = source?.sent(in: codec)[rendition] != nil
        return StreamLayer(rendition: rendition, isForwarded: isForwarded)
    }

    /// The layer to use for another one, which may not arrive.
    func substitute(for layer: StreamLayer) -> StreamLayer {
        guard layer.isForwarded, let source = state.withLock({ $0.source }) else { return layer }
        return StreamLayer(
            rendition: source.substitute(for: layer.rendition), isForwarded: true)
    }

    /// The layers that the guest sends in a codec.
    func sent(in codec: RoomCodec) -> [Rendition: SlotPlan.SentLayer] {
        state.withLock { $0.source }?.sent(in: codec) ?? [:]
    }

    /// The size of a layer.
    func size(of layer: StreamLayer) -> FrameSize? {
        let source = layer.isForwarded ? state.withLock { $0.source } : nil
        return source?.size(of: layer.rendition) ?? whole.map { layer.rendition.size(of: $0.size) }
    }

    /// Passes a guest's packet on. [the guest's pipeline]
    func pass(_ packet: StreamPacket, _ layer: StreamLayer, _ codec: RoomCodec) {
        let feeds = state.withLock { $0.feeds }
        var needsKey = false
        for feed in feeds where feed.codec == codec && feed.take(packet, layer, of: self) {
            needsKey = true
        }
        if needsKey { requestKey(layer, codec) }
    }

    /// A layer stops for a moment.
    func interrupt(_ layer: StreamLayer) {
        for feed in state.withLock({ $0.feeds }) { feed.interrupt(layer) }
    }

    /// The size and rate of the full rendition; nil before its source has agreed.
    var whole: VideoCapability? {
        let track = track
        return track.capability.map { Self.whole(of: $0, track) }
    }

    private static func whole(of own: VideoCapability, _ track: Track) -> VideoCapability {
        Rendition.whole(
            of: own, isGuest: track.participant != nil, isShare: track.kind == .share)
    }

    // MARK: Viewers

    /// Adds a viewer's slot.
    func add(_ feed: VideoFeed) { state.withLock { $0.feeds.append(feed) } }

    /// Removes a viewer's slot.
    func remove(_ feed: VideoFeed) {
        state.withLock { $0.feeds.removeAll { $0 === feed } }
        prune()
    }

    /// Ends the encoders that no viewer watches.
    func prune() {
        let unused = state.withLock { state -> [RoomVideoEncoder] in
            let needs = Self.needs(of: state.feeds)
            let unused = state.encoders.filter {
                !needs.contains(VideoFeed.Needs($0.layer, $0.codec))
            }
            state.encoders.removeAll { encoder in unused.contains { $0 === encoder } }
            return unused
        }
        for encoder in unused { room.later { encoder.stop() } }
    }

    private static func needs(of feeds: [VideoFeed]) -> VideoFeed.Needs {
        var needs: VideoFeed.Needs = []
        for feed in feeds { needs.formUnion(feed.needs) }
        return needs
    }

    /// Sets a ceiling for the source if no viewer's network carries the full rendition, or lifts it when one
    /// does again.
    func setCeiling(_ isSet: Bool) {
        guard let whole else { return }
        let limit = VideoCapability(
            size: Rendition.half.size(of: whole.size), rate: whole.rate)
        room.host.setCeiling(
            of: track, to: isSet ? limit : nil,
            because: isSet
                ? "no viewer has bandwidth for \(whole.size)"
                : "a viewer has bandwidth for \(whole.size)")
    }

    // MARK: Frames

    /// Lets a frame be encoded. [the session's media thread]
    func take(_ frame: borrowing OutputFrame) throws(PluginError) {
        let needs = Self.needs(of: state.withLock { $0.feeds })
        let whole = whole
        for renditions in Rendition.bySize {
            try encode(frame, renditions, of: whole, needs)
        }
    }

    /// Lets renditions of one size be encoded.
    private func encode(
        _ frame: borrowing OutputFrame, _ renditions: [Rendition], of whole: VideoCapability?,
        _ needs: VideoFeed.Needs
    ) throws(PluginError) {
        let size = renditions[0].size(of: frame.size)
        let rate = whole?.rate ?? FrameRate(30)
        var ready: [RoomVideoEncoder] = []
        for rendition in renditions {
            let layer = StreamLayer(rendition: rendition, isForwarded: false)
            for codec in RoomCodec.allCases where needs.contains(.init(layer, codec)) {
                let encoder = try encoder(
                    rendition, codec, VideoCapability(size: size, rate: rate),
                    bitsPerSecond: whole.map(rendition.bitsPerSecond) ?? 500_000)
                if encoder.isReady { ready.append(encoder) } else { room.count("frames-dropped") }
            }
        }
        guard !ready.isEmpty else { return }
        let duration = rate.dueNanoseconds(ofFrame: Int64(clamping: frame.periods))
        guard
            let raw = RawFrame(
                frame, size: size, at: room.clock.pts(frame.timeNanoseconds),
                for: UInt64(clamping: duration))
        else { return room.count("frames-dropped") }
        for encoder in ready { encoder.encode(raw) }
    }

    /// An encoder, which is made when it is not there.
    private func encoder(
        _ rendition: Rendition, _ codec: RoomCodec, _ capability: VideoCapability,
        bitsPerSecond bits: Int
    ) throws(PluginError) -> RoomVideoEncoder {
        let old = state.withLock { state in
            state.encoders.first { $0.rendition == rendition && $0.codec == codec }
        }
        if let old, old.size == capability.size, old.bitsPerSecond == bits { return old }
        let name = track.name
        let made = try RoomVideoEncoder(
            rendition, codec, capability, bitsPerSecond: bits, base: room.clock.base,
            onError: { [room] text in room.host.log(.error, "\(name): encoder: \(text)") },
            take: { [weak self] packet in
                self?.pass(
                    packet, StreamLayer(rendition: rendition, isForwarded: false), codec)
            })
        // Keep an encoder without viewers until the viewers change again. The thread that removes an encoder
        // from the list stops it.
        let unused = state.withLock { state -> RoomVideoEncoder? in
            guard !state.hasEnded else { return made }
            let index = state.encoders.firstIndex { $0 === old }
            state.encoders.append(made)
            return index.map { state.encoders.remove(at: $0) }
        }
        if let unused { room.later { unused.stop() } }
        return made
    }

    /// Makes the next frame a key frame, for a viewer who joined or lost something. [any]
    func requestKey(_ layer: StreamLayer, _ codec: RoomCodec) {
        let (encoder, source) = state.withLock { state in
            (state.encoders.first { $0.layer == layer && $0.codec == codec }, state.source)
        }
        if layer.isForwarded {
            source?.requestKey(layer.rendition)
        } else {
            encoder?.requestKey(now: greenroom_gst_now())
        }
    }

    /// Ends the encoders.
    func stop() {
        forward(from: nil)
        let encoders = state.withLock { state in
            defer { (state.feeds, state.encoders, state.hasEnded) = ([], [], true) }
            return state.encoders
        }
        for encoder in encoders { encoder.stop() }
    }
}
