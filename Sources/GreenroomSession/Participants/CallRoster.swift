import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomPluginInterface
package import GreenroomRuntime
import GreenroomSchema
import GreenroomVideo

/// The participants whom a call has brought, and their open tracks.
///
/// The plugin's calls come on any thread, and never wait: what changes is queued for the session's
/// thread, which connects the tracks to the outputs.
package final class CallRoster: Sendable {
    /// A participant.
    struct Member: Sendable {
        var participant: OutputTrack.Participant
        /// For file names, e.g. `ana`; unique in the session.
        var fileName: String
        /// The number of the track that has the mix without them.
        var mixTrack: UInt32
        /// When they joined, on the session clock.
        var joined: Int64

        /// The mix that they are to hear, as outputs are told of it.
        var describedMix: OutputTrack {
            OutputTrack(
                id: mixTrack, kind: UInt32(GR_TRACK_MIX_MINUS), name: "\(fileName)-mix-minus",
                capability: nil, participant: participant)
        }
    }

    /// Something for the session's thread to do; times are on the session clock.
    enum Change: Sendable {
        case joined(Member)
        case opened(ParticipantTrack, sender: UInt64)
        case muted(ParticipantTrack, Bool)
        case closed(ParticipantTrack, at: Int64)
        case left(Member, at: Int64)
    }

    fileprivate struct State {
        var members: [UInt32: Member] = [:]
        var tracks: [UInt64: ParticipantTrack] = [:]
        var changes: [Change] = []
        /// Senders of tracks that ended with the call: they answer that it is stopped.
        var stopped: [(sender: UInt64, track: ParticipantTrack)] = []
        var lastParticipant: UInt32 = 0
        /// The session's own tracks have the numbers below.
        var lastTrack: UInt32 = 15
        /// How often a file name was used.
        var fileNames: [String: Int] = [:]
    }

    /// The most bytes of a name.
    static let longestName = 100
    /// The most changes that wait for the session.
    private static let changeLimit = 1000
    /// The most file names that are remembered.
    fileprivate static let fileNameLimit = 10_000

    /// The number of the call's instance.
    let plugin: Int
    /// Limit of the frames in use of each track, and of all in a plugin's own process.
    let frameLimit: Int
    private let clock: SessionClock
    private let events: SessionEvents
    private let state = Monitor(State())

    /// - Parameters:
    ///   - plugin: The number of the call's instance.
    ///   - frameLimit: Limit of each track's frames in use; of all tracks together in a process of
    ///     its own.
    package init(plugin: Int, frameLimit: Int, clock: SessionClock, events: SessionEvents) {
        self.plugin = plugin
        self.frameLimit = frameLimit
        self.clock = clock
        self.events = events
    }

    // MARK: The plugin's calls [any]

    /// Adds a participant.
    func join(_ name: String) throws(Refusal) -> UInt32 {
        let name = name.printable
        guard !name.isEmpty, name.utf8.count <= Self.longestName else {
            throw Refusal(.participantName, in: .joined)
        }
        let now = clock.now
        let number = try change(.joined) { state throws(Refusal) in
            guard state.members.count < Int(GR_MAX_PARTICIPANTS) else {
                throw Refusal(.participantLimit(Int(GR_MAX_PARTICIPANTS)), in: .joined)
            }
            state.lastParticipant += 1
            state.lastTrack += 1
            let participant = OutputTrack.Participant(number: state.lastParticipant, name: name)
            let member = Member(
                participant: participant, fileName: state.fileName(of: participant),
                mixTrack: state.lastTrack, joined: now)
            state.members[participant.number] = member
            state.changes.append(.joined(member))
            return participant.number
        }
        return number
    }

    /// Removes a participant, and closes their tracks.
    func leave(_ participant: UInt32) throws(Refusal) {
        let now = clock.now
        let closed = try change(.left) { state throws(Refusal) in
            guard let member = state.members.removeValue(forKey: participant) else {
                throw Refusal(.unknownParticipant(participant), in: .left)
            }
            let closed = state.close(at: now) { $0.participant.number == participant }
            state.changes.append(.left(member, at: now))
            return closed
        }
        end(closed)
    }

    /// Opens a track of a participant; it accepts frames or blocks at once.
    ///
    /// - Parameters:
    ///   - kind: One of `GR_TRACK_…`.
    ///   - written: The largest size and rate of video.
    ///   - pool: Where the plugin's frames lie; nil for the host's memory.
    func open(
        _ kind: UInt32, of participant: UInt32, upTo written: gr_capability, pool: FramePool?
    ) throws(Refusal) -> (track: ParticipantTrack, sender: UInt64) {
        let call = SenderCall.openTrack
        guard let role = SessionTrack(rawValue: kind)?.role else {
            throw Refusal(.trackKind(kind), in: call)
        }
        let capability = role.medium == .video ? try VideoCapability(written, in: call) : nil
        let now = clock.now
        let opened = try change(call) { state throws(Refusal) in
            guard let member = state.members[participant] else {
                throw Refusal(.unknownParticipant(participant), in: call)
            }
            guard
                !state.tracks.values.contains(where: {
                    $0.participant.number == participant && $0.kind == role
                })
            else { throw Refusal(.secondTrack(role), in: call) }
            state.lastTrack += 1
            let name = "\(member.fileName)-\(role.ownTrack.name)"
            let track = ParticipantTrack(
                id: state.lastTrack, kind: role, participant: member.participant, name: name,
                opened: now, source: source(of: role, capability, name: name))
            if case .video(let ingest, _, _, _) = track.source {
                ingest.begin(pool: pool)
                ingest.offered(revision: UInt32(GR_TRACK_REVISION))
                ingest.agreed(revision: UInt32(GR_TRACK_REVISION))
            }
            track.follow(.sending)
            let sender = track.makeSender()
            state.tracks[sender] = track
            state.changes.append(.opened(track, sender: sender))
            return (track, sender)
        }
        return opened
    }

    private func source(
        of role: SessionRole, _ capability: VideoCapability?, name: String
    ) -> ParticipantTrack.Source {
        guard let capability else {
            return .audio(AudioIngest(role: name, number: plugin, clock: clock, events: events))
        }
        let pool = FramePool(limit: frameLimit)
        let input = VideoTrackInput(clock: clock)
        let ingest = VideoIngest(pool: pool, track: input, clock: clock) { [events] in
            events.send(.note(role: name, text: $0))
        }
        return .video(ingest, input, pool, capability)
    }

    /// Closes a track.
    func close(_ sender: UInt64) throws(Refusal) {
        let now = clock.now
        let closed = try change(.closeTrack) { state throws(Refusal) in
            guard let track = state.tracks[sender] else {
                throw Refusal(.closedTrack, in: .closeTrack)
            }
            return state.close(at: now) { $0 === track }
        }
        end(closed)
    }

    /// Mutes a track, or takes that back.
    func mute(_ isMuted: Bool, _ sender: UInt64) throws(Refusal) {
        let track = try change(.setMuted) { state throws(Refusal) in
            guard let track = state.tracks[sender] else {
                throw Refusal(.closedTrack, in: .setMuted)
            }
            state.changes.append(.muted(track, isMuted))
            return track
        }
        track.mute(isMuted, by: plugin)
    }

    private func change<Result>(
        _ call: SenderCall, _ body: (inout State) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let result = try state.withLock { state throws(Refusal) in
            guard state.changes.count < Self.changeLimit else {
                throw Refusal(.changeLimit(Self.changeLimit), in: call)
            }
            return try body(&state)
        }
        events.wake()
        return result
    }

    /// Accepts nothing more on tracks that were closed.
    private func end(_ closed: [(sender: UInt64, track: ParticipantTrack)]) {
        for (sender, track) in closed {
            track.follow(.stopped)
            track.remove(sender: sender)
        }
    }

    // MARK: The session's side

    /// Sets the state to that of the call's lifecycle. Whom it has brought are there while it sends.
    func follow(_ lifecycle: LifecycleState) {
        guard lifecycle != .sending else { return }
        closeAll()
        guard lifecycle != .stopped else { return }
        let stopped = state.withLock { state in
            defer { state.stopped = [] }
            return state.stopped
        }
        for (sender, track) in stopped { track.remove(sender: sender) }
    }

    /// The call is stopped, or its life has ended: everybody leaves.
    func closeAll() {
        let now = clock.now
        let closed = state.withLock { state in
            let closed = state.close(at: now) { _ in true }
            state.stopped += closed
            for member in state.members.values.sorted(by: {
                $0.participant.number < $1.participant.number
            }) {
                state.changes.append(.left(member, at: now))
            }
            state.members = [:]
            return closed
        }
        for (_, track) in closed { track.follow(.stopped) }
        if !closed.isEmpty { events.wake() }
    }

    /// Takes what has changed, in order. [the session's thread]
    func takeChanges() -> [Change] {
        state.withLock { state in
            guard !state.changes.isEmpty else { return [] }
            defer { state.changes = [] }
            return state.changes
        }
    }
}

extension CallRoster.State {
    /// Removes tracks, and queues that they were closed.
    fileprivate mutating func close(
        at moment: Int64, where isClosed: (ParticipantTrack) -> Bool
    ) -> [(sender: UInt64, track: ParticipantTrack)] {
        let closed = tracks.filter { isClosed($0.value) }.sorted { $0.value.id < $1.value.id }
        for (sender, track) in closed {
            tracks[sender] = nil
            changes.append(.closed(track, at: moment))
        }
        return closed.map { ($0.key, $0.value) }
    }

    /// A participant's name for files: `ana`, and `ana-2` for the second of that name.
    fileprivate mutating func fileName(of participant: OutputTrack.Participant) -> String {
        let name = participant.name.asFileName
        guard fileNames[name] != nil || fileNames.count < CallRoster.fileNameLimit else {
            return "participant-\(participant.number)"
        }
        fileNames[name, default: 0] += 1
        let count = fileNames[name, default: 1]
        guard count > 1 else { return name }
        // Somebody may have the name that the count makes.
        let counted = "\(name)-\(count)"
        fileNames[counted, default: 0] += 1
        return fileNames[counted] == 1 ? counted : "\(name)-participant-\(participant.number)"
    }
}

extension String {
    /// Letters a–z, digits and single hyphens; at most 40 of them, `participant` for none.
    fileprivate var asFileName: String {
        var name = ""
        for character in lowercased().unicodeScalars {
            switch character {
            case "a"..."z", "0"..."9": name.unicodeScalars.append(character)
            default: if !name.isEmpty, !name.hasSuffix("-") { name += "-" }
            }
            guard name.utf8.count < 40 else { break }
        }
        while name.hasSuffix("-") { name.removeLast() }
        return name.isEmpty ? "participant" : name
    }
}

extension VideoCapability {
    /// Reads the capability of a track that a plugin opens.
    fileprivate init(_ written: gr_capability, in call: SenderCall) throws(Refusal) {
        let size = FrameSize(width: Int(written.width), height: Int(written.height))
        guard size.isLegal else {
            throw Refusal(.size(width: written.width, height: written.height), in: call)
        }
        guard
            let rate = FrameRate(
                numerator: written.fps_numerator, denominator: written.fps_denominator)
        else { throw Refusal(.frameRate(written.fps_numerator, written.fps_denominator), in: call) }
        self.init(size: size, rate: rate)
    }
}
