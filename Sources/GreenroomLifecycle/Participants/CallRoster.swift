package import GreenroomModel
import GreenroomABI
import GreenroomConversion
package import GreenroomMedia
import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomRuntime
import GreenroomVideo

/// The participants of a call, and their open tracks.
/// The plugin calls from any thread and never waits. Changes are queued for the session's thread,
/// which connects the tracks to the outputs.
package final class CallRoster: Sendable {
    /// A participant.
    package struct Member: Sendable {
        /// The participant's number and name.
        package var participant: OutputTrack.Participant
        /// The participant's name for files, e.g. `ana`; unique in the session.
        var fileName: String
        /// The number of the track with the mix without this participant's audio.
        package var mixTrack: UInt32
        /// The time of joining, on the session clock.
        package var joined: Int64
        /// The number of tracks opened so far, by kind.
        var opened: [SessionRole: Int] = [:]

        /// The mix for this participant, as described to outputs.
        package var describedMix: OutputTrack {
            OutputTrack(
                id: mixTrack, kind: UInt32(GR_TRACK_MIX_MINUS), name: "\(fileName)-mix-minus",
                capability: nil, participant: participant)
        }
    }

    /// A task for the session's thread. Times are on the session clock.
    package enum Change: Sendable {
        case joined(Member)
        case opened(ParticipantTrack, sender: UInt64)
        case muted(ParticipantTrack, Bool)
        /// A participant asks to be recorded, or not to be.
        case recorded(UInt32, Bool)
        case closed(ParticipantTrack, at: Int64)
        case left(Member, at: Int64)
    }

    fileprivate struct State {
        var members: [UInt32: Member] = [:]
        var tracks: [UInt64: ParticipantTrack] = [:]
        /// The senders of tracks that are muted.
        var muted: Set<UInt64> = []
        var changes: [Change] = []
        /// Tracks that ended with the call. Their senders return the status of a stopped call.
        var stopped: [(sender: UInt64, track: ParticipantTrack)] = []
        /// Ended tracks with frames that the plugin may still write.
        var retired: [(sender: UInt64, track: ParticipantTrack)] = []
        /// Whether the session is ending.
        var isOver = false
        /// The number of participants and tracks that may be added at once, and the time of this
        /// count, on the session clock.
        var credit = CallRoster.mostAtOnce
        var credited: Int64?
        var lastParticipant: UInt32 = 0
        /// The last track number. Lower numbers belong to the session's own tracks.
        var lastTrack: UInt32 = 15
        /// The number of uses of each file name.
        var fileNames: [String: Int] = [:]
    }

    /// The most participants and tracks that are added at once.
    fileprivate static let mostAtOnce = 512.0
    /// The long-term limit of added participants and tracks per second.
    private static let mostInASecond = 20.0

    /// The most bytes of a participant's name.
    static let longestName = Limits.nameBytes
    /// The most changes queued for the session.
    private static let changeLimit = 1000
    /// The most file names that the roster stores.
    fileprivate static let fileNameLimit = 10_000

    /// The number of the call's instance.
    let plugin: Int
    private let frameLimit: Int
    /// The session's maximum of video; nil for no limit.
    private let maximum: VideoCapability?
    private let clock: SessionClock
    private let events: SessionEvents
    private let state = Monitor(State())
    /// Receives each opened track before any media is sent on it; nil in a session.
    private let didOpen: (@Sendable (ParticipantTrack) -> Void)?

    /// - Parameters:
    ///   - plugin: The number of the call's instance.
    ///   - frameLimit: Limit of each track's frames in use.
    /// - maximum: The session's maximum of video; nil for no limit.
    /// - didOpen: Receives each opened track before any media is sent on it. [any]
    package init(
        plugin: Int, frameLimit: Int, maximum: VideoCapability? = nil, clock: SessionClock,
        events: SessionEvents,
        didOpen: (@Sendable (ParticipantTrack) -> Void)? = nil
    ) {
        self.didOpen = didOpen
        self.plugin = plugin
        self.frameLimit = frameLimit
        self.maximum = maximum
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
        return try add(.joined) { state throws(Refusal) in
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
    }

    /// Removes a participant and closes the participant's tracks.
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
    /// - kind: The kind, as `GR_TRACK_…`.
    /// - written: The largest size and rate of video. The session's maximum may lower it.
    /// - pool: The pool of the plugin's frames; nil for the host's memory.
    func open(
        _ kind: UInt32, of participant: UInt32, upTo written: gr_capability, pool: FramePool?
    ) throws(Refusal) -> (track: ParticipantTrack, sender: UInt64) {
        let call = HostFunction.openTrack
        guard let role = SessionTrack(id: kind)?.role, SessionRole.ofParticipants.contains(role)
        else {
            throw Refusal(.trackKind(kind), in: call)
        }
        let wanted = role.medium == .video ? try VideoCapability(written, in: call) : nil
        let capability = wanted.map { wanted in
            maximum.map { wanted.reduced(toFit: $0.turned(like: wanted.size)) } ?? wanted
        }
        let now = clock.now
        return try add(call) { state throws(Refusal) in
            guard let member = state.members[participant] else {
                throw Refusal(.unknownParticipant(participant), in: call)
            }
            guard
                !state.tracks.values.contains(where: {
                    $0.participant.number == participant && $0.kind == role
                })
            else { throw Refusal(.secondTrack(role), in: call) }
            state.lastTrack += 1
            let count = member.opened[role, default: 0] + 1
            state.members[participant]?.opened[role] = count
            let name =
                "\(member.fileName)-\(role.trackName)" + (count > 1 ? "-\(count)" : "")
            let track = ParticipantTrack(
                id: state.lastTrack, kind: role, participant: member.participant, name: name,
                opened: now, source: source(of: role, capability, name: name))
            if case .video(let ingest, _, _, _) = track.source {
                ingest.begin(pool: pool)
                ingest.offered(revision: UInt32(GR_TRACK_REVISION))
                ingest.agreed(revision: UInt32(GR_TRACK_REVISION))
            }
            didOpen?(track)
            track.follow(.sending)
            let sender = track.makeSender()
            state.tracks[sender] = track
            state.changes.append(.opened(track, sender: sender))
            return (track, sender)
        }
    }

    private func source(
        of role: SessionRole, _ capability: VideoCapability?, name: String
    ) -> ParticipantTrack.Source {
        guard let capability else {
            return .audio(
                AudioIngest(
                    role: name, number: plugin, isOfParticipant: true, clock: clock, events: events)
            )
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

    /// Mutes or unmutes a track.
    func mute(_ isMuted: Bool, _ sender: UInt64) throws(Refusal) {
        let track = try change(.setMuted) { state throws(Refusal) -> ParticipantTrack? in
            guard let track = state.tracks[sender] else {
                throw Refusal(.closedTrack, in: .setMuted)
            }
            guard state.muted.contains(sender) != isMuted else { return nil }
            if isMuted { state.muted.insert(sender) } else { state.muted.remove(sender) }
            state.changes.append(.muted(track, isMuted))
            return track
        }
        track?.mute(isMuted, by: plugin)
    }

    /// Leaves a participant out of recordings, or takes that back.
    func record(_ isRecorded: Bool, _ participant: UInt32) throws(Refusal) {
        try change(.setRecorded) { state throws(Refusal) in
            guard state.members[participant] != nil else {
                throw Refusal(.unknownParticipant(participant), in: .setRecorded)
            }
            state.changes.append(.recorded(participant, isRecorded))
        }
    }

    /// Changes the session's participants or tracks. Refuses more than the allowed rate of changes.
    private func add<Result>(
        _ call: HostFunction, _ body: (inout State) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let now = clock.now
        return try change(call) { state throws(Refusal) in
            guard !state.isOver else { throw Refusal(.stopped, in: call) }
            let seconds = Double(now - (state.credited ?? now)) / 1e9
            state.credit = min(state.credit + seconds * Self.mostInASecond, Self.mostAtOnce)
            state.credited = now
            guard state.credit >= 1 else {
                throw Refusal(.additionLimit(Int(Self.mostInASecond)), in: call)
            }
            state.credit -= 1
            return try body(&state)
        }
    }

    private func change<Result>(
        _ call: HostFunction, _ body: (inout State) throws(Refusal) -> Result
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

    /// Closes the ingests of closed tracks.
    private func end(_ closed: [(sender: UInt64, track: ParticipantTrack)]) {
        for (_, track) in closed { track.follow(.uninitialized) }
        state.withLock { $0.retired += closed }
        forgetRetired()
    }

    /// Removes ended tracks that the plugin can no longer write. A frame that a plugin's thread is
    /// drawing stays until it is returned.
    private func forgetRetired() {
        let free = state.withLock { state in
            let free = state.retired.filter { !$0.track.hasLeases }
            state.retired.removeAll { !$0.track.hasLeases }
            return free
        }
        for (sender, track) in free { track.remove(sender: sender) }
    }

    /// The number of participants. [any]
    package var memberCount: Int { state.withLock { $0.members.count } }

    /// The senders of the open tracks. [any]
    package var openSenders: [UInt64] { state.withLock { $0.tracks.keys.sorted() } }

    // MARK: The session's side

    /// Sets the state from the call's lifecycle. Participants are present only while the call
    /// sends.
    func follow(_ lifecycle: LifecycleState) {
        guard lifecycle != .sending else { return }
        closeAll()
        guard lifecycle != .stopped else { return }
        let stopped = state.withLock { state in
            defer { state.stopped = [] }
            return state.stopped
        }
        end(stopped)
    }

    /// Removes all participants, because the call is stopped or its life has ended.
    ///
    /// - Parameter isFinal: Whether the session ends. If so, no participant may join later.
    package func closeAll(isFinal: Bool = false) {
        let now = clock.now
        let closed = state.withLock { state in
            if isFinal { state.isOver = true }
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

    /// Takes the queued changes, in order. [the session's thread]
    package func takeChanges() -> [Change] {
        forgetRetired()
        return state.withLock { state in
            guard !state.changes.isEmpty else { return [] }
            defer { state.changes = [] }
            return state.changes
        }
    }
}

extension CallRoster.State {
    /// Removes tracks and queues their closing.
    fileprivate mutating func close(
        at moment: Int64, where isClosed: (ParticipantTrack) -> Bool
    ) -> [(sender: UInt64, track: ParticipantTrack)] {
        let closed = tracks.filter { isClosed($0.value) }.sorted { $0.value.id < $1.value.id }
        for (sender, track) in closed {
            tracks[sender] = nil
            muted.remove(sender)
            changes.append(.closed(track, at: moment))
        }
        return closed.map { ($0.key, $0.value) }
    }

    /// A participant's name for files: `ana`, and `ana-2` for the second of that name.
    fileprivate mutating func fileName(of participant: OutputTrack.Participant) -> String {
        let name = participant.name.asFileName
        guard fileNames.count < CallRoster.fileNameLimit else {
            return "\(name)-participant-\(participant.number)"
        }
        fileNames[name, default: 0] += 1
        let count = fileNames[name, default: 1]
        guard count > 1 else { return name }
        // Another participant may already have the counted name.
        let counted = "\(name)-\(count)"
        fileNames[counted, default: 0] += 1
        return fileNames[counted] == 1 ? counted : "\(name)-participant-\(participant.number)"
    }
}

extension VideoCapability {
    /// Reads the capability of a track that a plugin opens.
    fileprivate init(_ written: gr_capability, in call: HostFunction) throws(Refusal) {
        guard written.size.isLegal else {
            throw Refusal(.size(width: written.width, height: written.height), in: call)
        }
        guard let capability = VideoCapability(written) else {
            throw Refusal(.frameRate(written.fps_numerator, written.fps_denominator), in: call)
        }
        self = capability
    }
}
