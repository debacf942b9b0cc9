import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Video that a guest sends: forwarded to viewers with the same codec, and decoded only while the session wants
/// it.
final class RemoteVideo: Sendable {
    /// The elements that receive the video in the guest's pipeline.
    var elements: String {
        let parts =
            switch codec {
            case .vp8:
                "rtpvp8depay name=depay wait-for-keyframe=true request-keyframe=true"
                    + " ! vp8dec threads=1"
            case .h264:
                "rtph264depay name=depay wait-for-keyframe=true request-keyframe=true"
                    + " ! video/x-h264,stream-format=byte-stream,alignment=au ! h264parse"
                    + " ! openh264dec"
            }
        let queue = "queue max-size-bytes=0 max-size-time=0 max-size-buffers"
        return "tee name=split split. ! \(queue)=2000"
            + " ! appsink name=packets sync=true async=false"
            + " split. ! valve name=wanted ! \(queue)=500 ! \(parts) ! video/x-raw,format=I420"
            + " ! appsink name=pictures sync=true async=false max-buffers=3 drop=true"
    }

    /// The largest picture that is decoded; a guest who sends a larger one loses the connection.
    static let largest = FrameSize(width: 2560, height: 1600)
    /// Frames of another size than the one before, in ``StreamLimit/span``: a browser changes a camera's
    /// size every few seconds, and each change makes a decoder again. A window that is shared may have
    /// another size in each frame, while it is resized.
    private static let mostSizes = 20

    private struct State {
        var track: CallVideoTrack?
        var sink: Sink?
        /// Passes packets to the decoder, while the session wants frames.
        var valve: Element?
        var isWanted = true
        /// Demands for tracks that were unknown when the session sent them. The session does not
        /// repeat them.
        var early: [UInt64: TrackDemand] = [:]
        /// The largest size that the session requests; nil before its first demand.
        var wantedSize: FrameSize?
        var isMuted = false
        /// Whether a frame was decoded.
        var hasFrame = false
        /// Whether nothing can be decoded before the next key frame.
        var awaitsKey = true
        var keyRequests = KeyFrameRequests()
        /// Whether the guest has exceeded a limit and must be removed.
        var isTooMuch = false
        /// The limits of frames, as the depayloader counts them: H.264 frames may end without a marker bit.
        var limit = StreamLimit(.video)
        var size: FrameSize?
        /// Changes of the size since `counted`.
        var sizes = 0
        var counted: UInt64 = 0

        /// Counts the changes of the size.
        ///
        /// - Returns: Whether there are too many.
        mutating func follow(_ size: FrameSize, at now: UInt64) -> Bool {
            if now &- counted >= StreamLimit.span { (sizes, counted) = (0, now) }
            if let old = self.size, old != size { sizes += 1 }
            self.size = size
            return sizes > RemoteVideo.mostSizes
        }
    }

    /// The guest's stream as it leaves for viewers.
    private struct Forwarding {
        weak var viewers: VideoStream?
        var lines: Int?
        var sink: Sink?
        /// The size in the last key frame; nil before the first key frame from which viewers can begin.
        var size: FrameSize?
        var limit = StreamLimit(.forwarded)
        /// Whether the limit was exceeded, until the next key frame.
        var isOver = false
        var isMuted = false
        var requests = KeyFrameRequests()
        var bytes = 0
        var measured: UInt64?
        var bitsPerSecond = 0
    }

    /// The layer that a guest without simulcast sends.
    private static let layer = StreamLayer(rendition: .full, isForwarded: true)

    private let forwarding = Mutex(Forwarding())
    let codec: RoomCodec
    private let isShare: Bool
    private let services: RoomServices
    private let arrival: Arrival
    private let onTooMuch: @Sendable (_ reason: String) -> Void
    private let state = Mutex(State())

    init(
        _ codec: RoomCodec, isShare: Bool, services: RoomServices, arrival: Arrival,
        onTooMuch: @escaping @Sendable (_ reason: String) -> Void
    ) {
        self.codec = codec
        self.isShare = isShare
        self.services = services
        self.arrival = arrival
        self.onTooMuch = onTooMuch
    }

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

    /// The elements are there.
    ///
    /// - Parameter onFirst: Called with the size of the first frame: now the track can be opened.
    func link(
        in pipeline: Pipeline, onFirst: @escaping @Sendable (FrameSize) -> Void
    ) throws(PluginError) {
        let sink = try Sink("pictures", of: pipeline)
        sink.onFrame { [weak self] picture in self?.take(picture, onFirst) }
        try Encoded("depay", of: pipeline).filter { [weak self] bytes, _ in
            self?.passes(bytes) ?? false
        }
        let valve = try pipeline.child("wanted")
        state.withLock { ($0.sink, $0.valve) = (sink, valve) }
        let packets = try Sink("packets", of: pipeline)
        packets.onPacket { [weak self] bytes in self?.forward(bytes) }
        arrival.delay(packets)
        forwarding.withLock { $0.sink = packets }
    }

    // MARK: Forwarding

    /// Passes a packet on to viewers.
    private func forward(_ bytes: StreamPacket.Bytes) {
        guard let packet = bytes.packet(codec, delay: arrival.forwardDelay) else { return }
        let now = greenroom_gst_now()
        let (viewers, isBroken) = forwarding.withLock { state -> (VideoStream?, Bool) in
            state.bytes &+= packet.bytes.count
            if packet.facts.startsKeyFrame {
                let content = UnsafeBufferPointer(rebasing: packet.bytes[packet.facts.content])
                state.size =
                    codec == .vp8 ? VP8KeyFrame(content)?.size : H264Headers(unit: content).size
                state.isOver = false
            }
            let excess = state.limit.add(
                bytes: packet.bytes.count, endsFrame: packet.facts.isLast, at: now)
            let begins = excess != nil && !state.isOver
            if excess != nil { state.isOver = true }
            return (state.isMuted || state.isOver && !begins ? nil : state.viewers, begins)
        }
        if isBroken {
            services.count("guests-frames-dropped")
            viewers?.interrupt(Self.layer)
        } else {
            viewers?.pass(packet, Self.layer, codec)
        }
    }

    /// Sets the viewers of the packets.
    func setViewers(_ viewers: VideoStream?) { forwarding.withLock { $0.viewers = viewers } }

    /// The bit rates of the renditions that viewers with a codec can get as they are sent.
    func sent(in codec: RoomCodec) -> [Rendition: Int] {
        forwarding.withLock { state in
            codec == self.codec && state.size != nil ? [.full: state.bitsPerSecond] : [:]
        }
    }

    /// The size of the packets' frames; nil if unknown.
    var sentSize: FrameSize? { forwarding.withLock { $0.size } }

    /// Measures the bit rate. Called every second.
    func measure(now: UInt64) {
        forwarding.withLock { state in
            defer { (state.bytes, state.measured) = (0, now) }
            guard let last = state.measured, now > last else { return }
            let bits = Double(state.bytes) * 8e9 / Double(now - last)
            // Key frames make peaks.
            state.bitsPerSecond = Int(max(bits, 0.8 * Double(state.bitsPerSecond)))
        }
    }

    /// Asks the guest for a key frame, unless it was just asked. [any]
    func requestKey() {
        let sink = forwarding.withLock { state in
            state.requests.isDue(at: greenroom_gst_now()) ? state.sink : nil
        }
        sink?.requestKey()
    }

    /// Whether the session wants frames and none was decoded yet.
    var isAwaited: Bool { state.withLock { $0.isWanted && !$0.hasFrame } }

    /// The size that the session and the viewers use; nil if nobody uses the video.
    var wantedSize: FrameSize? {
        let session = state.withLock { $0.isWanted ? $0.wantedSize : nil }
        let lines = forwarding.withLock { $0.lines }
        // A share keeps its size, because small text must stay readable.
        return isShare ? nil : GuestCamera.wanted(lines: lines, session: session)
    }

    /// Sets the lines in which the largest viewer shows the video; nil without a viewer.
    ///
    /// - Returns: Whether ``wantedSize`` has changed.
    func setLines(_ lines: Int?) -> Bool {
        let old = wantedSize
        forwarding.withLock { $0.lines = lines }
        return old != wantedSize
    }

    /// Follows the session's demand for a track.
    ///
    /// - Returns: Whether the track is this one.
    func follow(_ demand: TrackDemand) -> Bool {
        let (isOurs, keySink) = state.withLock { state -> (Bool, Sink?) in
            guard let track = state.track else {
                state.early[demand.track] = demand
                return (false, nil)
            }
            guard track.id == demand.track else { return (false, nil) }
            let begins = demand.isWanted && !state.isWanted
            state.isWanted = demand.isWanted
            state.wantedSize = demand.capability?.size ?? state.wantedSize
            if begins { state.awaitsKey = true }
            if let valve = state.valve { greenroom_gst_set_open(valve.pointer, demand.isWanted) }
            return (true, begins ? state.sink : nil)
        }
        keySink?.requestKey()
        return isOurs
    }

    /// Mutes or unmutes the session's track.
    func setMuted(_ isMuted: Bool) {
        let track = state.withLock { state in
            state.isMuted = isMuted
            return state.track
        }
        track?.setMuted(isMuted)
        let viewers = forwarding.withLock { state in
            state.isMuted = isMuted
            return state.viewers
        }
        viewers?.interrupt(Self.layer)
    }

    var isMuted: Bool { state.withLock { $0.isMuted } }

    /// Closes the track.
    func close() { state.withLock { $0.track.take() }?.close() }

    /// Whether an encoded frame is to be decoded.
    private func passes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (size, isKey, isBroken) = headers(of: bytes)
        let now = greenroom_gst_now()
        let (passes, fault, keySink) = state.withLock { state -> (Bool, String?, Sink?) in
            guard !state.isTooMuch else { return (false, nil, nil) }
            let excess = state.limit.add(bytes: bytes.count, endsFrame: true, at: now)
            let fault: String? =
                if let size, !Self.fits(size) {
                    "a frame is larger than \(Self.largest)"
                } else if let size, state.follow(size, at: now), !isShare {
                    "the camera changes its size more than \(Self.mostSizes / 2) times per second"
                } else if let excess, excess.isFatal {
                    state.limit.text(of: excess)
                } else {
                    nil
                }
            if fault != nil {
                state.isTooMuch = true
                return (false, fault, nil)
            }
            if excess != nil { services.count("guests-frames-dropped") }
            guard state.isWanted, !isBroken, excess == nil else {
                state.awaitsKey = true
                return (false, nil, nil)
            }
            if isKey { state.awaitsKey = false }
            // A key frame may have been dropped, too, so the room asks until one passes.
            let asks = state.awaitsKey && state.keyRequests.isDue(at: now)
            return (!state.awaitsKey, nil, asks ? state.sink : nil)
        }
        keySink?.requestKey()
        if let fault { onTooMuch(fault) }
        if passes { services.countDecoded() }
        return passes
    }

    private func headers(
        of bytes: UnsafeBufferPointer<UInt8>
    ) -> (size: FrameSize?, isKey: Bool, isBroken: Bool) {
        switch codec {
        case .vp8:
            let key = VP8KeyFrame(bytes)
            return (key?.size, key != nil, false)
        case .h264:
            let headers = H264Headers(bytes)
            return (headers.size, headers.isKey, headers.isBroken)
        }
    }

    private static func fits(_ size: FrameSize) -> Bool {
        let sides = [size.width, size.height].sorted()
        return sides[0] > 0 && sides[0] <= largest.height && sides[1] <= largest.width
    }

    private func take(
        _ picture: DecodedFrame, _ onFirst: @Sendable (FrameSize) -> Void
    ) {
        let isFirst = state.withLock { state in
            defer { state.hasFrame = true }
            return !state.hasFrame
        }
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
