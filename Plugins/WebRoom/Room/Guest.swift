import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// A guest, or what a guest shares. A guest without camera and microphone has no peer.
final class Guest: Sendable {
    let id: String
    let name: String
    /// Whether recordings may have the guest.
    let isRecorded: Bool
    /// The guest whose share this is; nil for a guest.
    let sharer: Guest?
    let video: RemoteVideo?
    let audio: RemoteAudio?
    let receiving: Peer.Receiving
    /// Whether the guest learns what arrives, and may change the size of the video.
    private let isAdaptive: Bool

    private struct State {
        var peer: Peer?
        var participant: CallParticipant?
        var hasLeft = false
        /// The time at which the page of a guest without a peer last asked for the room.
        var asked = greenroom_gst_now()
        /// The number of times that an operator has muted the guest.
        var mutes = 0
        /// The encodings that arrive.
        var encodings: Set<String> = []
        /// The encodings with a track.
        var opened: Set<String> = []
        /// The size of the first frame; nil before it is there.
        var size: FrameSize?
        var far = RoomMarks.Far([])
        /// Whether the log has a line about video that shows nothing.
        var hasComplained = false
    }

    private let services: RoomServices
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isRecorded: Whether recordings may have the guest.
    ///   - streams: The streams of the answer.
    ///   - isOffered: Whether the room makes the offer.
    ///   - sharer: The guest who shares; nil for a guest.
    init(
        _ id: String, name: String, isRecorded: Bool, streams: [MediaStream], isOffered: Bool,
        sharer: Guest?, services: RoomServices,
        onGone: @escaping @Sendable (String) -> Void, onJoined: @escaping @Sendable () -> Void,
        onLevel: @escaping @Sendable (Double) -> Void
    ) throws {
        self.id = id
        self.name = name
        self.isRecorded = isRecorded
        self.sharer = sharer
        self.services = services
        let (videos, audios) = (
            streams.filter { $0.video != nil }, streams.filter { $0.video == nil }
        )
        receiving = Peer.Receiving(
            audioCaps: audios.first.map { $0.caps(isOffered: isOffered) },
            videoCaps: videos.first.map { $0.caps(isOffered: isOffered) })
        let arrival = Arrival(services.clock)
        video = videos.first.flatMap { stream in
            stream.video.map {
                RemoteVideo(
                    stream, $0, isShare: sharer != nil, services: services, arrival: arrival
                ) { onGone($0) }
            }
        }
        isAdaptive =
            videos.first.map { $0.transportWide != nil || !$0.guestLayers.isEmpty } ?? false
        audio =
            audios.isEmpty
            ? nil : RemoteAudio(services: services, arrival: arrival, onLevel: onLevel)
        let peer = try Peer(
            latencyMilliseconds: Arrival.latencyMilliseconds, bounds: .sender,
            events: Peer.Events(
                onConnected: { [weak self] in self?.join(onGone, onJoined) }, onGone: onGone,
                onMedia: { [weak self] encoding in self?.receiver(of: encoding, onGone) }),
            services: services)
        state.withLock { $0.peer = peer }
    }

    /// A guest without camera and microphone, who joins at once.
    init(
        listener id: String, name: String, isRecorded: Bool, services: RoomServices
    ) throws(SendRefusal) {
        self.id = id
        self.name = name
        self.isRecorded = isRecorded
        self.services = services
        (sharer, video, audio, receiving) = (nil, nil, nil, Peer.Receiving())
        isAdaptive = false
        let participant = try Self.join(name, isRecorded, services)
        state.withLock { $0.participant = participant }
    }

    /// Adds a participant. Nobody joins who could be recorded against their will.
    private static func join(
        _ name: String, _ isRecorded: Bool, _ services: RoomServices
    ) throws(SendRefusal) -> CallParticipant {
        let participant = try services.host.join(name)
        guard !isRecorded else { return participant }
        do throws(SendRefusal) {
            try participant.setRecorded(false)
        } catch {
            participant.leave()
            throw error
        }
        return participant
    }

    var peer: Peer? { state.withLock { $0.peer } }

    /// The rooms of the far end, if the guest is a room.
    var far: RoomMarks.Far { state.withLock { $0.far } }

    /// Sets the rooms of the far end.
    func setFar(_ far: RoomMarks.Far) { state.withLock { $0.far = far } }

    /// A page asks for the room every 10 s, and may be away for 10 s.
    private static let longestSilence: UInt64 = 25_000_000_000

    /// The guest's page asks for the room.
    func ask() { state.withLock { $0.asked = greenroom_gst_now() } }

    /// The reason to remove the guest; nil if none. Called every second.
    func fault(now: UInt64) -> String? {
        if let peer { return peer.fault(now: now) }
        let asked = state.withLock { $0.asked }
        return now > asked && now - asked > Self.longestSilence
            ? "no request of the page for 25 s" : nil
    }

    /// Video that arrives and shows nothing for so long is logged, in nanoseconds.
    private static let longestBlindness: UInt64 = 3_000_000_000

    /// Describes video that arrives and can't be decoded; nil if there is none or the log has it. Called every
    /// second.
    func newBlindness(now: UInt64) -> String? {
        guard let peer, let video, video.isAwaited,
            let (packets, since) = peer.arrived(video.codec.rawValue),
            now > since, now - since >= Self.longestBlindness,
            !state.withLock({ state in
                defer { state.hasComplained = true }
                return state.hasComplained
            })
        else { return nil }
        let words =
            peer.warning.map { "the decoder reports: \($0)" } ?? "the decoder reports nothing"
        return
            "\(video.codec.rawValue) video arrives, \(packets) packets so far, and 3 s later no frame is "
            + "decoded; \(words). Send baseline H.264 with parameter sets in each key frame, or VP8."
    }

    /// The number of times that an operator has muted the guest.
    var mutes: Int { state.withLock { $0.mutes } }

    /// Mutes the guest for an operator.
    func muteByOperator() {
        state.withLock { $0.mutes += 1 }
        audio?.setMuted(true)
    }

    /// The participant of the session; nil before they have joined.
    var participant: CallParticipant? { state.withLock { $0.participant } }

    // MARK: Reports of the peer

    /// Receives a stream of a codec: the streams of the video, and the first one of audio.
    private func receiver(
        of encoding: String, _ onGone: @escaping @Sendable (String) -> Void
    ) -> Peer.Receiver? {
        let isFirst = state.withLock { $0.encodings.insert(encoding).inserted }
        if encoding == video?.codec.rawValue {
            let layer = video?.receive { [weak self] size in self?.open(first: size, onGone) }
            return layer.map { layer in
                Peer.Receiver(elements: layer.elements) { [weak self] in
                    self?.link(onGone) { pipeline throws(PluginError) in
                        try layer.link(in: pipeline)
                    }
                }
            }
        }
        guard encoding == "OPUS", isFirst, let audio else { return nil }
        return Peer.Receiver(elements: RemoteAudio.elements) { [weak self] in
            self?.link(onGone) { pipeline throws(PluginError) in try audio.link(in: pipeline) }
        }
    }

    /// Opens the session's tracks of the arriving media.
    ///
    /// A track that is open owes media: so it is opened with the first of them.
    func openTracks() throws(SendRefusal) {
        let (participant, opened) = state.withLock { state -> (CallParticipant?, Set<String>) in
            guard let participant = sharer == nil ? state.participant : sharer?.participant,
                !state.hasLeft
            else { return (nil, []) }
            var new = state.encodings.subtracting(state.opened)
            if state.size == nil, let video { new.remove(video.codec.rawValue) }
            state.opened.formUnion(new)
            return (participant, new)
        }
        guard let participant else { return }
        if let video, opened.contains(video.codec.rawValue),
            let size = state.withLock({ $0.size })
        {
            let camera = GuestCamera.capability(first: size, isAdaptive: isAdaptive)
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

    private func link(_ onGone: (String) -> Void, _ link: (Pipeline) throws(PluginError) -> Void) {
        guard let peer else { return }
        do {
            try link(peer.pipeline)
            try openTracks()
        } catch {
            onGone("\(error)")
        }
    }

    /// Opens the track of video with its first frame.
    private func open(first size: FrameSize, _ onGone: (String) -> Void) {
        state.withLock { $0.size = size }
        do throws(SendRefusal) {
            try openTracks()
        } catch {
            onGone(error.text)
        }
    }

    private func join(_ onGone: (String) -> Void, _ onJoined: () -> Void) {
        do throws(SendRefusal) {
            if sharer == nil {
                let participant = try Self.join(name, isRecorded, services)
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

    /// Removes the guest: the connection and its tracks end. Never call it on the peer's threads.
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
