import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Video that a guest sends, in one stream or in layers: forwarded to viewers with the same codec, and decoded only
/// while the session wants it.
final class RemoteVideo: Sendable {
    private struct State {
        var track: CallVideoTrack?
        /// Demands for tracks that were unknown when the session sent them. The session does not
        /// repeat them.
        var early: [UInt64: TrackDemand] = [:]
        var isWanted = true
        /// The largest size that the session requests; nil before its first demand.
        var wantedSize: FrameSize?
        var isMuted = false
        /// Whether a frame was decoded.
        var hasFrame = false
        weak var viewers: VideoStream?
        /// The lines of the largest viewer; nil without a viewer.
        var lines: Int?
        /// The streams that arrive.
        var arriving: [RemoteLayer] = []
        /// The stream whose frames the session gets.
        var decoded: RemoteLayer?
        /// The stream that replaces ``decoded`` with its first frame.
        var next: RemoteLayer?
        var layers: GuestLayers
    }

    let codec: RoomCodec
    private let nameExtension: Int?
    private let isShare: Bool
    private let services: RoomServices
    private let arrival: Arrival
    private let onTooMuch: @Sendable (_ reason: String) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - stream: The negotiated values, with the layers.
    ///   - codec: The stream's codec.
    init(
        _ stream: MediaStream, _ codec: RoomCodec, isShare: Bool, services: RoomServices,
        arrival: Arrival, onTooMuch: @escaping @Sendable (_ reason: String) -> Void
    ) {
        self.codec = codec
        nameExtension = stream.guestLayers.isEmpty ? nil : stream.extensions[.layer]
        self.isShare = isShare
        self.services = services
        self.arrival = arrival
        self.onTooMuch = onTooMuch
        state = Mutex(
            State(layers: GuestLayers(stream.guestLayers, at: greenroom_gst_now())))
    }

    /// Whether the guest sends layers.
    var hasLayers: Bool { nameExtension != nil }

    /// The session's track has been opened.
    func open(_ track: CallVideoTrack) {
        let (demand, isMuted) = state.withLock { state in
            state.track = track
            defer { state.early = [:] }
            return (state.early[track.id], state.isMuted)
        }
        if isMuted { track.setMuted(true) }
        if let demand { _ = follow(demand) }
    }

    /// Receives a stream that arrives; nil if the video has all its streams. Decoding one more would have no use.
    ///
    /// - Parameter onFirst: Called with the size of the first decoded frame: now the track can be opened.
    func receive(onFirst: @escaping @Sendable (FrameSize) -> Void) -> RemoteLayer? {
        state.withLock { state in
            let number = state.arriving.count
            guard number < max(1, state.layers.names.count) else { return nil }
            let layer = RemoteLayer(
                number, codec, isShare: isShare, nameExtension: nameExtension,
                renditions: state.layers.renditions, isWanted: state.isWanted && number == 0,
                isMuted: state.isMuted,
                viewers: state.viewers, services: services, arrival: arrival,
                events: RemoteLayer.Events(
                    onSize: { [weak self] size, rendition in
                        self?.state.withLock { $0.layers.take(size, of: rendition) }
                        self?.choose()
                    },
                    onFrame: { [weak self] layer, picture in
                        self?.take(picture, of: layer, onFirst)
                    },
                    onTooMuch: onTooMuch))
            state.arriving.append(layer)
            if number == 0 { (state.decoded, state.next) = (layer, layer) }
            return layer
        }
    }

    // MARK: Forwarding

    /// Sets the viewers of the packets.
    func setViewers(_ viewers: VideoStream?) {
        let layers = state.withLock { state in
            state.viewers = viewers
            return state.arriving
        }
        for layer in layers { layer.setViewers(viewers) }
    }

    /// The layers that viewers with a codec can get as they are sent.
    func sent(in codec: RoomCodec) -> [Rendition: SlotPlan.SentLayer] {
        codec == self.codec ? state.withLock { $0.layers.sent } : [:]
    }

    /// The layer to forward for another one, which may not arrive.
    func substitute(for rendition: Rendition) -> Rendition {
        state.withLock { $0.layers.substitute(for: rendition) }
    }

    /// The size of a layer's frames; nil if unknown.
    func size(of rendition: Rendition) -> FrameSize? {
        state.withLock { $0.layers.size(of: rendition) }
    }

    /// Measures the bit rates. Called every second.
    func measure(now: UInt64) {
        let rates = state.withLock { $0.arriving }.compactMap { $0.measure(now: now) }
        state.withLock { state in
            for (rendition, bits) in rates { state.layers.measure(bits, of: rendition, at: now) }
        }
        choose()
    }

    /// Asks the guest for a key frame, unless it was just asked. [any]
    func requestKey(_ rendition: Rendition) {
        state.withLock { $0.arriving }.first { $0.rendition == rendition }?.requestKey()
    }

    /// Whether the session wants frames and none was decoded yet.
    var isAwaited: Bool { state.withLock { $0.isWanted && !$0.hasFrame } }

    /// The size that the session and the viewers use; nil if nobody uses the video.
    var wantedSize: FrameSize? {
        let (lines, session) = state.withLock { ($0.lines, $0.isWanted ? $0.wantedSize : nil) }
        // A share keeps its size, because small text must stay readable.
        return isShare ? nil : GuestCamera.wanted(lines: lines, session: session)
    }

    /// The names of the layers that the guest should send; nil if the guest sends one stream.
    var wantedLayers: [String]? { state.withLock { $0.layers.wanted } }

    /// Sets the lines in which the largest viewer shows the video, nil without a viewer, and the layers that viewers
    /// get or wait for.
    ///
    /// - Returns: Whether the guest must send another size, or other layers.
    func setUse(lines: Int?, watched: Set<Rendition>) -> Bool {
        let old = wantedSize
        let isOther = state.withLock { state in
            state.lines = lines
            var watched = watched
            if state.isWanted {
                watched.formUnion([state.decoded, state.next].compactMap { $0?.rendition })
                if let fitting = Self.fitting(state) { watched.insert(fitting) }
            }
            return state.layers.watch(watched, at: greenroom_gst_now())
        }
        return isOther || old != wantedSize
    }

    // MARK: Decoding

    /// Follows the session's demand for a track.
    ///
    /// - Returns: Whether the track is this one.
    func follow(_ demand: TrackDemand) -> Bool {
        let isOurs = state.withLock { state in
            guard let track = state.track else {
                state.early[demand.track] = demand
                return false
            }
            guard track.id == demand.track else { return false }
            state.isWanted = demand.isWanted
            state.wantedSize = demand.capability?.size ?? state.wantedSize
            return true
        }
        if isOurs { choose() }
        return isOurs
    }

    /// The layer that fits the session's size; nil before the first key frame.
    private static func fitting(_ state: State) -> Rendition? {
        state.layers.sent.fitting(lines: state.wantedSize?.height ?? 0)
    }

    /// Decodes the layer that fits the session's size, and the one before until its first frame.
    private func choose() {
        let (layers, wanted) = state.withLock { state -> ([RemoteLayer], [RemoteLayer?]) in
            guard state.isWanted else { return (state.arriving, []) }
            if let fitting = Self.fitting(state) {
                let rendition = state.layers.substitute(for: fitting)
                state.next =
                    state.arriving.first { $0.rendition == rendition } ?? state.next
            }
            return (state.arriving, [state.decoded, state.next])
        }
        for layer in layers { layer.setWanted(wanted.contains { $0 === layer }) }
    }

    /// Mutes or unmutes the session's track.
    func setMuted(_ isMuted: Bool) {
        let (track, layers) = state.withLock { state in
            state.isMuted = isMuted
            return (state.track, state.arriving)
        }
        track?.setMuted(isMuted)
        for layer in layers { layer.setMuted(isMuted) }
    }

    var isMuted: Bool { state.withLock { $0.isMuted } }

    /// Closes the track.
    func close() { state.withLock { $0.track.take() }?.close() }

    private func take(
        _ picture: DecodedFrame, of layer: RemoteLayer, _ onFirst: @Sendable (FrameSize) -> Void
    ) {
        let (isOld, begins, isFirst) = state.withLock { state in
            let begins = layer === state.next && layer !== state.decoded
            if begins { state.decoded = layer }
            defer { state.hasFrame = true }
            return (layer !== state.decoded, begins, !state.hasFrame)
        }
        guard !isOld else { return }
        if begins { choose() }
        if isFirst { onFirst(picture.size) }
        guard let track = state.withLock({ $0.isMuted ? nil : $0.track }) else { return }
        do throws(SendRefusal) {
            try picture.send(
                to: track.sender,
                at: picture.pts.map { arrival.time(of: $0, after: arrival.delay) })
        } catch {
            if !error.isEnd { services.count("guests-frames-refused") }
        }
    }
}
