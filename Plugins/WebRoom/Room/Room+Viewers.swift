import GreenroomPlugin
import GreenroomRoom
import Synchronization

extension Room {
    /// What a viewer asks for.
    enum Subject: Equatable {
        /// The first stream: the camera, else the share.
        case first
        /// A video track, by its number.
        case stream(UInt32)
        /// The audio alone.
        case sound
    }

    /// Answers a viewer's offer.
    ///
    /// - Returns: The answer, and the viewer's id.
    /// - Throws: ``SignallingError`` or `PluginError`.
    func watch(
        _ subject: Subject, offer text: String
    ) async throws -> (id: String, answer: String) {
        let offer = try SessionOffer(text)
        let stream = try stream(of: subject)
        let id = Secret.random()
        try reserve(.viewer)
        let viewer: Viewer
        do {
            viewer = try Viewer(
                id, offer: offer, stream: offer.video == nil ? nil : stream, services: services
            ) { [weak self] reason in
                self?.services.later { [weak self] in self?.remove(viewer: id, because: reason) }
            }
        } catch {
            release(.viewer)
            throw error
        }
        // At once with the viewer: a stream that ends removes the viewers that it finds.
        let refusal = state.withLock { state -> SignallingError? in
            guard !state.isClosed else { return Self.full }
            if let stream = viewer.stream, state.streams[stream.track.id] !== stream {
                return Self.ended
            }
            // The encoders begin while the connection is made.
            if let video = viewer.video { viewer.stream?.add(video, for: id) }
            if let audio = viewer.audio { sound.add(audio, for: id) }
            state.viewers[id] = viewer
            state.revision += 1
            return nil
        }
        if let refusal {
            release(.viewer) { viewer.peer.stop() }
            throw refusal
        }
        services.host.wantsChanged()
        report()
        do {
            return (id, try await viewer.peer.answer(offer, receiving: nil, address: address))
        } catch {
            remove(viewer: id, because: nil)
            throw error
        }
    }

    private static let ended = SignallingError.notFound(
        "There is no such stream: it may have ended.")

    private func stream(of subject: Subject) throws(SignallingError) -> VideoStream? {
        let streams = state.withLock { $0.streams }
        switch subject {
        case .sound: return nil
        case .first:
            return streams.values.filter { $0.track.participant == nil }
                .min { $0.track.kind.rawValue < $1.track.kind.rawValue }
        case .stream(let id):
            guard let stream = streams[id] else {
                throw Self.ended
            }
            return stream
        }
    }

    /// Removes a viewer, if there is one.
    func remove(viewer id: String, because reason: String?) {
        let viewer = state.withLock { state -> Viewer? in
            guard let viewer = state.viewers.removeValue(forKey: id) else { return nil }
            state.revision += 1
            state.hearing[id] = nil
            for stream in [sound] + state.mixes.values { stream.remove(id) }
            return viewer
        }
        guard let viewer else { return }
        if let reason { services.host.log(.info, "a viewer has gone: \(reason)") }
        viewer.stream?.remove(id)
        release(.viewer) { viewer.peer.stop() }
        services.host.wantsChanged()
        report()
    }

    /// Who is there.
    var counts: (viewers: Int, guests: Int) {
        state.withLock { state in
            (state.viewers.count, state.guests.values.count { $0.sharer == nil })
        }
    }

    /// Tells the session's report who is there.
    func report() {
        let (viewers, guests) = counts
        services.host.report("viewers", viewers)
        services.host.report("guests", guests)
    }
}
