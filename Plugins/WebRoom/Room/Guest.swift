import GreenroomPlugin
import GreenroomRoom
import Synchronization

/// A peer that sends: a guest with camera and microphone, or what a guest shares.
final class Guest: Sendable {
    let id: String
    let name: String
    /// The guest whose share this is; nil for a guest.
    let sharer: Guest?
    let video: RemoteVideo?
    let audio: RemoteAudio?
    let receiving: Peer.Receiving

    private struct State {
        var peer: Peer?
        var participant: CallParticipant?
        var hasLeft = false
        /// What arrives.
        var encodings: Set<String> = []
        /// That of it which has a track.
        var opened: Set<String> = []
    }

    private let services: RoomServices
    private let state = Mutex(State())

    /// - Parameter sharer: Who shares; nil for a guest.
    init(
        _ id: String, name: String, offer: SessionOffer, sharer: Guest?, services: RoomServices,
        onGone: @escaping @Sendable (String) -> Void, onJoined: @escaping @Sendable () -> Void
    ) throws {
        self.id = id
        self.name = name
        self.sharer = sharer
        self.services = services
        // VP8 if they have it: H.264 decoders take more of a hostile stream.
        let codec =
            offer.video?.payload(of: .vp8) == nil
            ? offer.video?.codec ?? .vp8 : VideoCodec.vp8
        let (videoCaps, audioCaps) = (
            try offer.video.map { try Self.videoCaps($0, codec, isOwn: offer.isOwn) },
            try offer.audio.map(Self.audioCaps)
        )
        receiving = Peer.Receiving(audioCaps: audioCaps, videoCaps: videoCaps)
        video =
            videoCaps == nil
            ? nil
            : RemoteVideo(codec, isShare: sharer != nil, services: services) { onGone($0) }
        audio = audioCaps == nil ? nil : RemoteAudio(services: services)
        let peer = try Peer(
            "", latencyMilliseconds: Arrival.latencyMilliseconds, bounds: .sender,
            events: Peer.Events(
                onConnected: { [weak self] in self?.join(onGone, onJoined) }, onGone: onGone,
                onMedia: { [weak self] encoding in self?.elements(for: encoding) },
                onAdded: { [weak self] encoding in self?.link(encoding, onGone) }),
            services: services)
        state.withLock { $0.peer = peer }
    }

    var peer: Peer? { state.withLock { $0.peer } }

    /// The participant of the session; nil before they have joined.
    var participant: CallParticipant? { state.withLock { $0.participant } }

    /// What is received, in GStreamer's language: of the offer it has numbers alone.
    private static func videoCaps(
        _ media: SessionOffer.Media, _ codec: VideoCodec, isOwn: Bool
    ) throws(SignallingError) -> String {
        guard media.sends, let payload = media.payload(of: codec) else {
            throw .unacceptable("the room takes VP8 or H.264, and its video is not sent as that")
        }
        var caps =
            "application/x-rtp,media=video,encoding-name=\(codec.rawValue),clock-rate=90000,"
            + "payload=\(payload),rtcp-fb-nack=(boolean)true,rtcp-fb-nack-pli=(boolean)true"
            + (isOwn ? media.caps(of: payload) : "")
        if let id = media.transportWide {
            let uri = SessionOffer.Media.transportWideURI
            caps += ",rtcp-fb-transport-cc=(boolean)true,extmap-\(id)=(string)\"\(uri)\""
        }
        return caps
    }

    private static func audioCaps(_ media: SessionOffer.Media) throws(SignallingError) -> String {
        guard media.sends, let payload = media.payloads["OPUS"] else {
            throw .unacceptable("the room takes Opus, and its audio is not sent as that")
        }
        return "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,"
            + "payload=\(payload),encoding-params=(string)2"
    }

    // MARK: What the peer reports

    /// What takes the first stream of a codec: another one would be decoded in vain.
    private func elements(for encoding: String) -> String? {
        guard state.withLock({ $0.encodings.insert(encoding).inserted }) else { return nil }
        return switch encoding {
        case video?.codec.rawValue: video?.elements
        case "OPUS": audio == nil ? nil : RemoteAudio.elements
        default: nil
        }
    }

    /// Opens the session's tracks of what arrives.
    ///
    /// A track that is open owes media: so it is opened with the first of them.
    func openTracks() throws(SendRefusal) {
        let (participant, opened) = state.withLock { state -> (CallParticipant?, Set<String>) in
            guard let participant = sharer == nil ? state.participant : sharer?.participant,
                !state.hasLeft
            else { return (nil, []) }
            defer { state.opened = state.encodings }
            return (participant, state.encodings.subtracting(state.opened))
        }
        guard let participant else { return }
        if let video, opened.contains(video.codec.rawValue) {
            let camera = VideoCapability(width: 1280, height: 720, fps: 30)
            let share = VideoCapability(width: 1920, height: 1080, fps: 30)
            video.open(
                try sharer == nil
                    ? participant.openCamera(upTo: camera) : participant.openShare(upTo: share))
        }
        if opened.contains("OPUS"), let audio {
            audio.open(
                try sharer == nil ? participant.openMicrophone() : participant.openShareAudio())
        }
    }

    private func link(_ encoding: String, _ onGone: (String) -> Void) {
        guard let peer else { return }
        do {
            if encoding == video?.codec.rawValue {
                try video?.link(in: peer.pipeline)
            } else {
                try audio?.link(in: peer.pipeline)
            }
            try openTracks()
        } catch {
            onGone("\(error)")
        }
    }

    private func join(_ onGone: (String) -> Void, _ onJoined: () -> Void) {
        do throws(SendRefusal) {
            if sharer == nil {
                let participant = try services.host.join(name)
                let hasLeft = state.withLock { state in
                    state.participant = participant
                    return state.hasLeft
                }
                guard !hasLeft else { return participant.leave() }
            }
            try openTracks()
            onJoined()
        } catch {
            onGone(error.text)
        }
    }

    /// They leave: the connection ends, and so do their tracks. Not on the peer's threads.
    func leave() {
        let participant = state.withLock { state in
            state.hasLeft = true
            return state.participant
        }
        peer?.stop()
        if sharer == nil {
            participant?.leave()
        } else {
            video?.close()
            audio?.close()
        }
    }
}
