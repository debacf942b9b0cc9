import GreenroomPlugin
import GreenroomRoom
import Synchronization

/// What a page shows, as JSON.
struct RoomDescription: Encodable, Equatable {
    /// A stream to watch.
    struct Stream: Encodable, Equatable {
        var id: UInt32
        /// `camera` or `share`.
        var kind: String
        /// The participant's number and name; nil for the session's own.
        var participant: UInt32?
        var name: String?
    }

    /// Somebody who has joined.
    struct Guest: Encodable, Equatable {
        var participant: UInt32
        var name: String
        var camera: Bool
        var microphone: Bool
    }

    var revision: Int
    var role: String
    /// The participant's number of the guest who asks.
    var you: UInt32?
    var streams: [Stream]
    var guests: [Guest]
    /// Connections that watch or listen.
    var viewers: Int
    /// Whether the page may control the session; nil for no.
    var control: Bool?
}

extension Room {
    /// What there is now.
    ///
    /// - Parameter guest: The id of the guest who asks.
    func description(for role: Access.Role, guest: String?) -> RoomDescription {
        state.withLock { state in
            let tracks = state.streams.values.map(\.track)
            return RoomDescription(
                revision: state.revision, role: role.rawValue,
                you: guest.flatMap { state.guests[$0]?.participant?.number },
                streams: tracks.sorted { $0.id < $1.id }.map { track in
                    RoomDescription.Stream(
                        id: track.id, kind: track.kind == .camera ? "camera" : "share",
                        participant: track.participant?.number, name: track.participant?.name)
                },
                guests: state.guests.values.compactMap { guest in
                    guard guest.sharer == nil, let participant = guest.participant else {
                        return nil
                    }
                    return RoomDescription.Guest(
                        participant: participant.number, name: guest.name,
                        camera: guest.video.map { !$0.isMuted } ?? false,
                        microphone: guest.audio.map { !$0.isMuted } ?? false)
                }.sorted { $0.participant < $1.participant },
                viewers: state.viewers.count)
        }
    }
}
