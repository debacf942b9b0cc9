import GreenroomRoom
import Synchronization

extension Room {
    /// Makes a connection with a media server, as far as the offer: it gets the session's first stream
    /// with all audio, or it sends a participant.
    ///
    /// - Parameter address: The only address to be reached at; nil: all.
    /// - Returns: The connection's id, its peer, its offer, and whether that has a video.
    /// - Throws: ``SignallingError`` or `PluginError`.
    func connect(
        _ purpose: ServerPurpose, _ codec: VideoCodec, named name: String, at address: String?
    ) async throws -> (id: String, peer: Peer, offer: String, hasVideo: Bool) {
        switch purpose {
        case .publish:
            let stream = try stream(of: .first)
            let terms = SessionOffer(ofServer: "recvonly", video: stream == nil ? nil : codec)
            let viewer = try admit(terms, stream)
            do {
                let offer = try await viewer.peer.offer(receiving: nil, address: address)
                return (viewer.id, viewer.peer, offer, stream != nil)
            } catch {
                remove(viewer: viewer.id, because: nil)
                throw error
            }
        case .fetch:
            let guest = try admit(name, SessionOffer(ofServer: "sendonly", video: codec))
            do {
                guard let peer = guest.peer else { throw SignallingError.hasClosed }
                let offer = try await peer.offer(receiving: guest.receiving, address: address)
                return (guest.id, peer, offer, true)
            } catch {
                remove(guest: guest.id, because: nil)
                throw error
            }
        }
    }

    /// Takes a server's answer.
    func accept(
        _ answer: SessionOffer, of id: String, _ peer: Peer
    ) throws(SignallingError) {
        try peer.take(answer: answer)
        state.withLock { $0.viewers[id] }?.setFeedback(answer.video?.transportWide != nil)
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
