import CGStreamer
import GreenroomPlugin
import RoomAccess
import RoomDecisions
import Synchronization

extension Room {
    /// The subject of a viewer's request.
    enum Subject: Equatable {
        /// The first stream: the camera, else the share.
        case first
        /// A video track, by its number.
        case stream(UInt32)
        /// The audio alone.
        case audio
        /// The slots that the page names, as many as the offer has videos.
        case slots
    }

    /// Answers a viewer's offer.
    ///
    /// - Parameter client: The viewer's address; nil: unknown.
    /// - Returns: The answer, and the viewer's id.
    /// - Throws: ``RequestError`` or `PluginError`.
    func watch(
        _ subject: Subject, offer text: String, from client: ClientAddress?
    ) async throws -> (id: String, answer: String) {
        let offer = try SDPDescription(text)
        let stream = try stream(of: subject)
        let most = subject == .slots ? MediaTerms.mostVideos : 1
        let videos = offer.media.count { $0.kind == "video" && !$0.isDisabled && $0.name != nil }
        guard videos <= most else {
            throw RequestError.unacceptable(
                subject == .slots
                    ? "\(videos) videos; the limit of a connection is \(most)"
                    : "\(videos) videos; a stream has one, and /whep/slots takes more"
            )
        }
        let hearsOnly = subject == .audio || (subject == .first && stream == nil)
        let answer = try SDPAnswer(to: offer, on: .viewer(videos: hearsOnly ? 0 : most))
        // Behind this machine's address there may be a proxy, with everybody.
        let origin = client.flatMap { $0.isLocal ? nil : $0.text }
        let viewer = try await admitting(.viewer) {
            try admit(answer.streams, stream, from: origin)
        }
        viewer.setFar(RoomMarks.Far(offer.rooms))
        leaveOutEchoes()
        do {
            return (
                viewer.id,
                try await viewer.peer.answer(
                    answer, receiving: nil, address: address, rooms: rooms(for: offer.rooms.first))
            )
        } catch {
            remove(viewer: viewer.id, because: nil)
            throw error
        }
    }

    /// Makes a viewer, who gets nothing before they are connected.
    ///
    /// - Parameters:
    ///   - stream: The stream in the only slot.
    ///   - address: The viewer's address; nil if only the room limits viewers.
    ///   - isOffered: Whether the room makes the offer.
    func admit(
        _ streams: [MediaStream], _ stream: UInt32?, from address: String? = nil,
        isOffered: Bool = false
    ) throws -> Viewer {
        let id = Secret.random()
        try reserve(.viewer, from: address)
        let viewer: Viewer
        do {
            viewer = try Viewer(
                id, streams: streams, isOffered: isOffered, stream: stream, address: address,
                services: services,
                onTight: { [weak self] in self?.adaptSoon() }
            ) { [weak self] reason in
                self?.services.later { [weak self] in self?.remove(viewer: id, because: reason) }
            }
        } catch {
            release(.viewer, from: address)
            throw error
        }
        // Check the stream and add the viewer under one lock, because an ending stream removes only the
        // viewers that it finds.
        let refusal = state.withLock { state -> RequestError? in
            guard !state.isClosed else { return Self.full }
            if let stream, state.streams[stream] == nil { return Self.ended }
            // The encoders begin while the connection is made.
            if let feed = viewer.audio { audio.add(feed) }
            state.viewers[id] = viewer
            state.revision += 1
            return nil
        }
        if let refusal {
            release(.viewer, from: address) { viewer.peer.stop() }
            throw refusal
        }
        adaptSoon()
        services.host.wantsChanged()
        report()
        return viewer
    }

    /// Takes what a page wants in the slots of its connection.
    func wish(_ wishes: [SlotWish], of id: String) throws(RequestError) {
        guard let viewer = state.withLock({ $0.viewers[id] }) else {
            throw RequestError(.notFound, "No such viewer.")
        }
        try viewer.wish(for: wishes)
        adaptSoon()
    }

    /// Gives a viewer a separate mix with these volumes, or the shared one.
    func set(_ volumes: PersonVolumes, of id: String) throws(RequestError) {
        let hasChanged = try state.withLock { state throws(RequestError) in
            guard let feed = state.viewers[id]?.audio else {
                throw RequestError(.notFound, "No viewer with audio has this number.")
            }
            let old = state.volumes[id]
            if volumes.isEmpty {
                state.volumes[id] = nil
                old?.mix.stream.remove(feed)
            } else {
                state.volumes[id] = (volumes, old?.mix ?? ViewerMix(room: services))
            }
            guard volumes.isEmpty != (old == nil) else { return false }
            route([id], in: state)
            return true
        }
        if hasChanged { services.host.wantsChanged() }
    }

    private static let ended = RequestError(
        .notFound,
        "No such stream: it may have ended.")

    func stream(of subject: Subject) throws(RequestError) -> UInt32? {
        let streams = state.withLock { $0.streams }
        switch subject {
        case .audio, .slots: return nil
        case .first:
            return streams.values.map(\.track).filter { $0.participant == nil }
                .min { $0.kind.rawValue < $1.kind.rawValue }?.id
        case .stream(let id):
            guard streams[id] != nil else { throw Self.ended }
            return id
        }
    }

    /// Removes a viewer.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func remove(viewer id: String, because reason: String?) -> Bool {
        let viewer = state.withLock { state -> Viewer? in
            guard let viewer = state.viewers.removeValue(forKey: id) else { return nil }
            state.revision += 1
            (state.hearing[id], state.echoes[id]) = (nil, nil)
            if let feed = viewer.audio {
                for stream in [audio, ownAudio] + state.mixes.values { stream.remove(feed) }
                state.volumes.removeValue(forKey: id)?.mix.stream.remove(feed)
            }
            return viewer
        }
        guard let viewer else { return false }
        if let reason { services.host.log(.info, "a viewer disconnected: \(reason)") }
        services.soon { viewer.leave() }
        adaptSoon()
        release(.viewer, from: viewer.address) { viewer.peer.stop() }
        // Request the audio tracks again; adaptSoon() does so for the video.
        services.host.wantsChanged()
        report()
        return true
    }

    // MARK: Adapting to networks

    /// Soon decides again which streams viewers get.
    func adaptSoon() { services.soon { [weak self] in self?.adapt() } }

    /// Decides which streams viewers get, and which sizes the sources should send.
    private func adapt() {
        let now = Double(greenroom_gst_now()) / 1e9
        let (viewers, streams, guests) = state.withLock { state in
            (Array(state.viewers.values), state.streams, Array(state.guests.values))
        }
        for stream in streams.values { stream.forward(from: Self.source(of: stream, guests)) }
        var isNew = false
        for viewer in viewers where viewer.adapt(streams, now: now) { isNew = true }
        for (id, stream) in streams {
            follow(id, stream, viewers, now: now)
            stream.prune()
        }
        let wanted = Set(streams.filter { $0.value.isEncoded }.keys)
        for (id, stream) in streams {
            let lines = viewers.compactMap { $0.use(of: id)?.wish.lines }.max()
            if stream.setLines(lines) { isNew = true }
        }
        let shown = viewers.flatMap { $0.shown }
        services.report("slots-forwarded", shown.count { $0.isForwarded })
        services.report("slots-encoded", shown.count { !$0.isForwarded && $0.size != nil })
        let isOther = state.withLock { state in
            if isNew { state.revision += 1 }
            defer { state.watched = wanted }
            return state.watched != wanted
        }
        if isOther { services.host.wantsChanged() }
    }

    /// The guest's video that is the source of a stream; nil if it has another one.
    private static func source(of stream: VideoStream, _ guests: [Guest]) -> RemoteVideo? {
        let track = stream.track
        guard let number = track.participant?.number else { return nil }
        let guest = guests.first { guest in
            track.kind == .share
                ? guest.sharer?.participant?.number == number
                : guest.sharer == nil && guest.participant?.number == number
        }
        return guest?.video
    }

    /// Gives a stream's source a ceiling if no viewer's network carries the full rendition.
    private func follow(
        _ id: UInt32, _ stream: VideoStream, _ viewers: [Viewer], now: Double
    ) {
        guard stream.track.participant == nil, let whole = stream.whole else { return }
        var (wanted, isCarried) = (false, false)
        for viewer in viewers {
            guard let (wish, share) = viewer.use(of: id) else { continue }
            if share.rendition == .full { isCarried = true }
            if share.isLowered,
                wish.lines > Rendition.half.size(of: whole.size).height
            {
                wanted = true
            }
        }
        let isNews = state.withLock { state in
            state.ceilings[id, default: CeilingRule()]
                .follow(wanted: wanted, isCarried: isCarried, at: now)
        }
        if isNews { stream.setCeiling(state.withLock { $0.ceilings[id]?.isSet ?? false }) }
    }

    /// The number of people in the room.
    var counts: (viewers: Int, guests: Int) {
        state.withLock { state in
            (state.viewers.count, state.guests.values.count { $0.sharer == nil })
        }
    }

    /// Reports the numbers of viewers and guests.
    func report() {
        let (viewers, guests) = counts
        services.report("viewers", viewers)
        services.report("guests", guests)
    }
}
