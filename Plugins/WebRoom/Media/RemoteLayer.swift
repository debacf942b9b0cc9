import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A stream of packets of a guest's video: the only one, or a layer. Its packets go to viewers, and to a decoder
/// while the session wants this layer.
final class RemoteLayer: Sendable {
    /// The events of a layer, on the pipeline's threads.
    struct Events: Sendable {
        /// A key frame from which viewers can begin has arrived, with another size than the one before.
        var onSize: @Sendable (FrameSize, Rendition) -> Void
        var onFrame: @Sendable (RemoteLayer, DecodedFrame) -> Void
        var onTooMuch: @Sendable (_ reason: String) -> Void
    }

    /// The largest picture that is decoded; a guest who sends a larger one loses the connection.
    static let largest = FrameSize(width: 2560, height: 1600)
    /// Frames of another size than the one before, in ``StreamLimit/span``: a browser changes a camera's
    /// size every few seconds, and each change makes a decoder again. A window that is shared may have
    /// another size in each frame, while it is resized.
    private static let mostSizes = 20

    /// The guest's stream as it is decoded.
    private struct Decoding {
        var sink: Sink?
        /// Passes packets to the decoder, while the session wants frames.
        var valve: Element?
        var isWanted: Bool
        /// Whether nothing can be decoded before the next key frame.
        var awaitsKey = true
        var requests = KeyFrameRequests()
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
            return sizes > RemoteLayer.mostSizes
        }
    }

    /// The guest's stream as it leaves for viewers.
    private struct Forwarding {
        weak var viewers: VideoStream?
        /// nil before a packet has named the layer.
        var rendition: Rendition?
        var sink: Sink?
        /// The size in the last key frame; nil before the first key frame from which viewers can begin.
        var size: FrameSize?
        var limit = StreamLimit(.forwarded)
        /// Whether the limit was exceeded, until the next key frame.
        var isOver = false
        var isMuted: Bool
        var requests = KeyFrameRequests()
        var bytes = 0
        var measured: UInt64?
    }

    private let number: Int
    private let codec: RoomCodec
    private let isShare: Bool
    /// The id of the header extension with the name; nil if the guest sends one stream.
    private let nameExtension: Int?
    private let renditions: [String: Rendition]
    private let services: RoomServices
    private let arrival: Arrival
    private let events: Events
    private let decoding: Mutex<Decoding>
    private let forwarding: Mutex<Forwarding>

    /// - Parameters:
    ///   - number: The place among the video's streams.
    ///   - nameExtension: The id of the header extension with the layer's name; nil if the guest sends one stream.
    ///   - renditions: The renditions of layers by their names.
    ///   - isWanted: Whether the session wants frames.
    init(
        _ number: Int, _ codec: RoomCodec, isShare: Bool, nameExtension: Int?,
        renditions: [String: Rendition], isWanted: Bool, isMuted: Bool, viewers: VideoStream?,
        services: RoomServices, arrival: Arrival, events: Events
    ) {
        (self.number, self.codec, self.isShare) = (number, codec, isShare)
        (self.nameExtension, self.renditions) = (nameExtension, renditions)
        (self.services, self.arrival, self.events) = (services, arrival, events)
        decoding = Mutex(Decoding(isWanted: isWanted))
        forwarding = Mutex(
            Forwarding(
                viewers: viewers, rendition: nameExtension == nil ? .full : nil, isMuted: isMuted))
    }

    /// The elements that receive the stream in the guest's pipeline.
    var elements: String {
        let parts =
            switch codec {
            case .vp8:
                "rtpvp8depay name=depay\(number) wait-for-keyframe=true request-keyframe=true"
                    + " ! vp8dec threads=1"
            case .h264:
                "rtph264depay name=depay\(number) wait-for-keyframe=true request-keyframe=true"
                    + " ! video/x-h264,stream-format=byte-stream,alignment=au ! h264parse"
                    + " ! openh264dec"
            }
        let queue = "queue max-size-bytes=0 max-size-time=0 max-size-buffers"
        let isClosed = decoding.withLock { !$0.isWanted }
        return "tee name=split\(number) split\(number). ! \(queue)=2000"
            + " ! appsink name=packets\(number) sync=true async=false"
            + " split\(number). ! valve name=wanted\(number) drop=\(isClosed)"
            + " ! \(queue)=500 ! \(parts) ! video/x-raw,format=I420"
            + " ! appsink name=pictures\(number) sync=true async=false max-buffers=3 drop=true"
    }

    /// The elements are there.
    func link(in pipeline: Pipeline) throws(PluginError) {
        let sink = try Sink("pictures\(number)", of: pipeline)
        sink.onFrame { [weak self] picture in
            if let self { events.onFrame(self, picture) }
        }
        try Encoded("depay\(number)", of: pipeline).filter { [weak self] bytes, _ in
            self?.passes(bytes) ?? false
        }
        let valve = try pipeline.child("wanted\(number)")
        decoding.withLock { decoding in
            (decoding.sink, decoding.valve) = (sink, valve)
            greenroom_gst_set_open(valve.pointer, decoding.isWanted)
        }
        let packets = try Sink("packets\(number)", of: pipeline)
        packets.onPacket { [weak self] bytes in self?.forward(bytes) }
        arrival.delay(packets)
        forwarding.withLock { $0.sink = packets }
    }

    // MARK: Forwarding

    /// The layer; nil before a packet has named it.
    var rendition: Rendition? { forwarding.withLock { $0.rendition } }

    /// Passes a packet on to viewers.
    private func forward(_ bytes: StreamPacket.Bytes) {
        guard let packet = bytes.packet(codec, delay: arrival.forwardDelay) else { return }
        let now = greenroom_gst_now()
        let (rendition, viewers, isBroken, size, isAwaited) = forwarding.withLock {
            state -> (Rendition?, VideoStream?, Bool, FrameSize?, Bool) in
            guard let rendition = state.rendition ?? name(packet) else {
                return (nil, nil, false, nil, false)
            }
            state.rendition = rendition
            state.bytes &+= packet.bytes.count
            var newSize: FrameSize?
            if packet.facts.startsKeyFrame {
                let content = UnsafeBufferPointer(rebasing: packet.bytes[packet.facts.content])
                let size =
                    codec == .vp8 ? VP8KeyFrame(content)?.size : H264Headers(unit: content).size
                // After a pause, the first key frame counts.
                if size != state.size || state.bytes == packet.bytes.count { newSize = size }
                state.size = size
                state.isOver = false
            }
            let excess = state.limit.add(
                bytes: packet.bytes.count, endsFrame: packet.facts.isLast, at: now)
            let begins = excess != nil && !state.isOver
            if excess != nil { state.isOver = true }
            let viewers = state.isMuted || state.isOver && !begins ? nil : state.viewers
            let isAwaited = state.isOver && !state.isMuted && state.viewers != nil
            return (rendition, viewers, begins, newSize, isAwaited)
        }
        guard let rendition else { return }
        // Browsers send no key frame by themselves.
        if isAwaited { requestKey() }
        if let size { events.onSize(size, rendition) }
        let layer = StreamLayer(rendition: rendition, isForwarded: true)
        if isBroken {
            services.count("guests-frames-dropped")
            viewers?.interrupt(layer)
        } else {
            viewers?.pass(packet, layer, codec)
        }
    }

    /// Reads the layer's name. Senders leave it out after the first packets.
    private func name(_ packet: StreamPacket) -> Rendition? {
        let name = nameExtension.flatMap { VideoPacket.text(ofExtension: $0, in: packet.bytes) }
        return name.flatMap { renditions[$0] }
    }

    /// Sets the viewers of the packets.
    func setViewers(_ viewers: VideoStream?) { forwarding.withLock { $0.viewers = viewers } }

    /// The layer's bit rate since the last call; nil at the first call, and before a packet has named the layer.
    func measure(now: UInt64) -> (rendition: Rendition, bitsPerSecond: Int)? {
        forwarding.withLock { state in
            defer { (state.bytes, state.measured) = (0, now) }
            guard let last = state.measured, now > last, let rendition = state.rendition else {
                return nil
            }
            return (rendition, Int(Double(state.bytes) * 8e9 / Double(now - last)))
        }
    }

    /// Asks the guest for a key frame, unless it was just asked. [any]
    func requestKey() {
        let sink = forwarding.withLock { state in
            state.requests.isDue(at: greenroom_gst_now()) ? state.sink : nil
        }
        sink?.requestKey()
    }

    /// Mutes or unmutes the packets for viewers.
    func setMuted(_ isMuted: Bool) {
        let (viewers, rendition) = forwarding.withLock { state in
            state.isMuted = isMuted
            return (state.viewers, state.rendition)
        }
        if let rendition {
            viewers?.interrupt(StreamLayer(rendition: rendition, isForwarded: true))
        }
    }

    // MARK: Decoding

    /// Whether the session wants frames of this layer.
    var isWanted: Bool { decoding.withLock { $0.isWanted } }

    /// Begins to decode, or ends it.
    func setWanted(_ isWanted: Bool) {
        let sink = decoding.withLock { state -> Sink? in
            guard isWanted != state.isWanted else { return nil }
            state.isWanted = isWanted
            if isWanted { state.awaitsKey = true }
            if let valve = state.valve { greenroom_gst_set_open(valve.pointer, isWanted) }
            return isWanted ? state.sink : nil
        }
        sink?.requestKey()
    }

    /// Checks an encoded frame, and decides whether it is decoded.
    private func passes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (size, isKey, isBroken) = headers(of: bytes)
        let now = greenroom_gst_now()
        let (passes, fault, keySink) = decoding.withLock { state -> (Bool, String?, Sink?) in
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
            let asks = state.awaitsKey && state.requests.isDue(at: now)
            return (!state.awaitsKey, nil, asks ? state.sink : nil)
        }
        keySink?.requestKey()
        if let fault { events.onTooMuch(fault) }
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
}
