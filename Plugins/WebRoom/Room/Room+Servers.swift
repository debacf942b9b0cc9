import GreenroomPlugin
import RoomDecisions
import Synchronization

extension Room {
    /// Creates a connection to a media server and its offer. The server receives the session's
    /// first stream and all audio, or sends a participant.
    ///
    /// - Parameters:
    ///   - inLayers: Whether the room offers to send several layers of the video.
    ///   - address: The only address to be reached at; nil: all.
    /// - Returns: The connection's id, its peer, its offer, and whether that has a video.
    /// - Throws: ``RequestError`` or `PluginError`.
    func connect(
        _ purpose: ServerPurpose, _ codec: RoomCodec, inLayers: Bool, named name: String,
        at address: String?
    ) async throws -> (id: String, peer: Peer, offer: String, hasVideo: Bool) {
        switch purpose {
        case .publish:
            let stream = try stream(of: .first)
            let streams = MediaStream.offered(stream == nil ? nil : codec, inLayers: inLayers)
            let viewer = try admit(streams, stream, isOffered: true)
            state.withLock { $0.servers[.publish] = viewer.id }
            leaveOutFetched()
            do {
                let offer = try await viewer.peer.offer(receiving: nil, address: address)
                return (
                    viewer.id, viewer.peer, inLayers ? Simulcast.offer(offer) : offer,
                    stream != nil
                )
            } catch {
                remove(viewer: viewer.id, because: nil)
                throw error
            }
        case .fetch:
            let guest = try admit(name, MediaStream.offered(codec), isOffered: true)
            state.withLock { $0.servers[.fetch] = guest.id }
            do {
                guard let peer = guest.peer else { throw RequestError.hasClosed }
                let offer = try await peer.offer(receiving: guest.receiving, address: address)
                return (guest.id, peer, offer, true)
            } catch {
                remove(guest: guest.id, because: nil)
                throw error
            }
        }
    }

    /// Takes a server's answer to an offer.
    ///
    /// - Returns: The number of layers in which the server gets the video; 0: one stream.
    func accept(
        _ answer: SDPDescription, to offer: String, of id: String, _ peer: Peer
    ) throws(RequestError) -> Int {
        let far = RoomMarks.Far(answer.rooms)
        guard far.room != id else {
            throw .bad("the server is this room, which would hear itself")
        }
        let answer = try ServerAnswer(answer, to: SDPDescription(offer))
        let viewer = state.withLock { $0.viewers[id] }
        // Before the connection exists: a packet for a medium that is not served would block the others.
        viewer?.setServed(answer.isServed)
        viewer?.setLayers(answer.layers, in: answer.video)
        try peer.take(answer)
        state.withLock { $0.guests[id] }?.setFar(far)
        viewer?.setFar(far)
        leaveOutEchoes()
        viewer?.setFeedback(answer.hasFeedback)
        adaptSoon()
        return answer.layers.count
    }

    /// Leaves a fetched participant out of what their server gets: it has their audio, and would send it
    /// again, ever louder.
    func leaveOutFetched() {
        guard hasOneServer else { return }
        let number = state.withLock { state -> UInt32? in
            guard let viewer = state.servers[.publish], state.viewers[viewer] != nil,
                let guest = state.servers[.fetch].flatMap({ state.guests[$0] }),
                let number = guest.participant?.number
            else { return nil }
            state.hearing[viewer] = number
            return number
        }
        if let number { moveListeners(of: number) }
    }

    /// Ends the connection with the server of a fetched participant, if there is one.
    func disconnectFetched() {
        if let id = state.withLock({ $0.servers[.fetch] }) { disconnect(id) }
    }

    /// Ends a connection with a media server.
    func disconnect(_ id: String) {
        remove(viewer: id, because: nil)
        remove(guest: id, because: nil)
    }

    /// Whether the operator has removed the guest of a connection.
    func wasDismissed(_ id: String) -> Bool { state.withLock { $0.dismissed.contains(id) } }

    /// Whether a connection is there.
    func has(_ id: String) -> Bool {
        state.withLock { $0.viewers[id] != nil || $0.guests[id] != nil }
    }
}
