import GreenroomPlugin
import RoomAccess
import RoomDecisions
import StageDecisions
import Synchronization

/// The content of a page, as JSON.
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

    /// A guest who has joined.
    struct Guest: Encodable, Equatable {
        var participant: UInt32
        var name: String
        /// The letters and the colour of the guest's tile while the camera is off.
        var initials: String
        var color: String
        var camera: Bool
        var microphone: Bool
        var speaking: Bool
    }

    /// The content of a slot of the page's connection.
    struct Slot: Encodable, Equatable {
        var slot: Int
        var stream: UInt32
        /// The lines that are sent; nil: none, the network carries no more.
        var lines: Int?
        /// The lines that the stream has.
        var of: Int
        /// Whether it is less than the page asks for because of its network.
        var lowered: Bool
    }

    /// The sizes of the requesting guest's videos that the session uses. Larger videos are wasted.
    struct Wanted: Encodable, Equatable {
        struct Size: Encodable, Equatable {
            var width: Int
            var height: Int

            init(_ size: FrameSize) { (width, height) = (size.width, size.height) }
        }

        var camera: Size?
        var share: Size?
        /// The names of the layers that the camera should send; nil if it sends one stream.
        var layers: [String]?
    }

    var revision: Int
    /// The title of the page; nil if none.
    var title: String?
    var role: String
    /// The participant's number of the guest who asks.
    var you: UInt32?
    /// The number of times that an operator has muted the guest who asks.
    var mutes: Int?
    /// Whether an operator has removed the guest who asks; nil for no.
    var removed: Bool?
    /// nil for one who is no guest.
    var wanted: Wanted?
    var streams: [Stream]
    var guests: [Guest]
    /// The participant who speaks, or who spoke last.
    var speaker: UInt32?
    /// The stream that an operator has made large for everybody.
    var pinned: UInt32?
    /// The number of the newest message.
    var message: Int
    /// The messages after the number that the page names; nil for no number.
    var messages: [MessageRelay.Message]?
    /// Whether the session has ended; nil for no.
    var ended: Bool?
    /// Whether the session records; nil for no.
    var recording: Bool?
    /// Whether every recording of the session is paused; nil for no.
    var paused: Bool?
    /// The newest captions; nil if there are none.
    var captions: [CaptionRelay.Caption]?
    /// Whether the room accepts no new guests; nil for no.
    var draining: Bool?
    /// Connections that watch or listen.
    var viewers: Int
    /// The guests' token, for an invite link; nil for pages that may not invite.
    var invite: String?
    /// Whether the page may control the session; nil for no.
    var control: Bool?
    /// The slots of the connection of the page that asks.
    var slots: [Slot]?
    /// The reason why media of the page that asks do not connect; nil for no reason.
    var trouble: String?
    /// The STUN and TURN servers; nil if none.
    var ice: [IceServers.ForPage]?
}

extension Room {
    /// Describes the current state of the room.
    ///
    /// - Parameters:
    ///   - guest: The id of the guest who asks.
    ///   - viewer: The id of the connection through which they watch.
    ///   - messages: The number of the last message that the page has; nil: it wants none.
    func description(
        for role: Access.Role, guest: String?, viewer: String?, messages: Int?
    ) -> RoomDescription {
        let servers = services.network.servers
        return state.withLock { state in
            let tracks = state.streams.values.map(\.track)
            return RoomDescription(
                revision: state.revision, role: role.rawValue,
                you: guest.flatMap { state.guests[$0]?.participant?.number },
                mutes: guest.flatMap { state.guests[$0]?.mutes },
                removed: guest.map { state.dismissed.contains($0) } ?? false ? true : nil,
                wanted: guest.flatMap { state.guests[$0] }.map { guest in
                    let share = state.guests.values.first { $0.sharer === guest }
                    return RoomDescription.Wanted(
                        camera: guest.video?.wantedSize.map(RoomDescription.Wanted.Size.init),
                        share: share?.video?.wantedSize.map(RoomDescription.Wanted.Size.init),
                        layers: guest.video?.wantedLayers)
                },
                streams: tracks.sorted { $0.id < $1.id }.map { track in
                    RoomDescription.Stream(
                        id: track.id, kind: "\(track.kind)",
                        participant: track.participant?.number,
                        name: track.participant?.name
                            ?? track.name.split(separator: ".").dropFirst().first.map(String.init))
                },
                guests: state.guests.values.compactMap { guest in
                    guard guest.sharer == nil, let participant = guest.participant else {
                        return nil
                    }
                    return RoomDescription.Guest(
                        participant: participant.number, name: guest.name,
                        initials: StageEntry.initials(of: guest.name),
                        color: PersonColor(of: guest.name).hex,
                        camera: guest.video.map { !$0.isMuted } ?? false,
                        microphone: guest.audio.map { !$0.isMuted } ?? false,
                        speaking: state.speakers.speaking.contains(participant.number))
                }.sorted { $0.participant < $1.participant },
                speaker: state.speakers.active, pinned: state.pinned,
                message: state.messages.newest,
                messages: messages.map { state.messages.messages(after: $0) },
                ended: state.hasEnded ? true : nil,
                recording: state.recording == .on ? true : nil,
                paused: state.recording == .paused ? true : nil,
                captions: state.captions.captions.isEmpty ? nil : state.captions.captions,
                draining: state.returning == nil ? nil : true,
                viewers: state.viewers.count,
                slots: viewer.flatMap { state.viewers[$0] }?.shown.map { shown in
                    RoomDescription.Slot(
                        slot: shown.slot, stream: shown.stream, lines: shown.size?.height,
                        of: shown.whole.height, lowered: shown.isLowered)
                },
                trouble: viewer.flatMap { state.viewers[$0] }?.peer.trouble
                    ?? guest.flatMap { state.guests[$0] }?.peer?.trouble,
                ice: servers.isEmpty ? nil : servers.forPage(at: RoomNetwork.now))
        }
    }
}
