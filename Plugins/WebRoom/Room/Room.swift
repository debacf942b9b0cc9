import CGStreamer
import Dispatch
import Glibc
import GreenroomPlugin
import RoomAccess
import RoomDecisions
import Synchronization

/// The room: the session's streams, who watches them, and who joins.
final class Room: Sendable {
    struct State {
        /// Video tracks, by their id.
        var streams: [UInt32: VideoStream] = [:]
        /// Microphones and shares with audio: the participant's number, or nil for the session's own.
        var sounds: [UInt32: UInt32?] = [:]
        /// The audio for each participant, by number.
        var mixes: [UInt32: AudioStream] = [:]
        var viewers: [String: Viewer] = [:]
        /// The volumes that viewers have set, and their mixes, by the viewer.
        var volumes: [String: (volumes: PersonVolumes, mix: ViewerMix)] = [:]
        /// Guests and shares.
        var guests: [String: Guest] = [:]
        /// Viewers who are participants, too: their number, by the viewer.
        var hearing: [String: UInt32] = [:]
        /// For each viewer that is another room: the participants whose audio would be an echo there.
        var echoes: [String: Set<UInt32>] = [:]
        /// The connections with media servers: a viewer's and a guest's.
        var servers: [ServerPurpose: String] = [:]
        /// By the stream.
        var ceilings: [UInt32: CeilingRule] = [:]
        /// Streams that the room encodes.
        var watched: Set<UInt32> = []
        /// Counts changes that pages show.
        var revision = 1 { didSet { changes.post() } }
        let changes: Signal
        /// Connections, from before they are made until after they have stopped.
        var places: [Place: Int] = [:]
        /// The number of viewers at each address.
        var viewerPlaces: [String: Int] = [:]
        /// Guests whom the operator has removed.
        var dismissed: Set<String> = []
        /// The names that an operator has barred, in small letters.
        var barred: [String] = []
        var speakers = SpeakerRule()
        var messages = MessageRelay()
        /// The stream that an operator has made large for everybody.
        var pinned: UInt32?
        /// Whether the session records.
        var recording = EventLog.Recording.off
        var captions = CaptionRelay()
        /// The names that may join while the room drains: of guests who may have lost their
        /// connection. nil unless it drains.
        var returning: Set<String>?
        /// Whether the session has ended.
        var hasEnded = false
        var isClosed = false
    }

    /// The purpose of a connection.
    enum Place {
        case viewer, guest, share
    }

    let services: RoomServices
    /// The audio for viewers who are not participants.
    let audio: AudioStream
    /// The session's own audio, for rooms that would hear themselves in more than one participant.
    let ownAudio: AudioStream
    /// The random name by which other rooms know this one.
    let id = Secret.random()
    /// The only address at which media can be reached; nil: all addresses of the machine that others can use.
    var address: String? { services.network.address }
    /// Whether the room publishes to the server that it fetches from.
    let hasOneServer: Bool
    /// The process's limit of open files.
    let openFiles = sysconf(Int32(_SC_OPEN_MAX))
    /// Posts each new revision.
    let changes = Signal()
    let state: Mutex<State>
    /// Requests that wait for a change.
    let polls = Atomic(0)

    init(services: RoomServices, hasOneServer: Bool = false) {
        self.services = services
        self.hasOneServer = hasOneServer
        state = Mutex(State(changes: changes))
        audio = AudioStream(room: services)
        ownAudio = AudioStream(room: services)
    }

    // MARK: The session's tracks

    /// A track is there, or has changed.
    ///
    /// - Returns: The room's current want for the track.
    func describe(_ track: Track) -> TrackWant? {
        switch track.kind {
        case .camera, .share, .stage:
            return stream(of: track).want
        case .fullMix:
            return audio.isHeard && hasSound(where: { _ in true }) ? AudioStream.want : nil
        case .mixMinus:
            guard let participant = track.participant?.number else { return nil }
            let (mix, isNew) = state.withLock { state in
                if let mix = state.mixes[participant] { return (mix, false) }
                let mix = AudioStream(room: services)
                state.mixes[participant] = mix
                return (mix, true)
            }
            if isNew { moveListeners(of: participant) }
            return mix.isHeard && hasSound(where: { $0 != participant }) ? AudioStream.want : nil
        case .mix:
            return ownAudio.isHeard && hasSound(where: { $0 == nil }) ? AudioStream.want : nil
        case .microphone, .shareAudio:
            let isNew = state.withLock { state in
                state.sounds.updateValue(track.participant?.number, forKey: track.id) == nil
            }
            if isNew { services.host.wantsChanged() }
            return state.withLock { $0.volumes.isEmpty } ? nil : AudioStream.want
        case .incoming, .split: return nil
        }
    }

    /// Whether a mix of these people's audio is more than silence: without that, a room with nothing but viewers
    /// would encode and send silence.
    ///
    /// - Parameter isMixed: Whether the audio of a participant is in the mix; nil for the session's own.
    private func hasSound(where isMixed: (UInt32?) -> Bool) -> Bool {
        state.withLock { $0.sounds.values.contains(where: isMixed) }
    }

    private func stream(of track: Track) -> VideoStream {
        state.withLock { state in
            if let stream = state.streams[track.id] {
                stream.update(track)
                return stream
            }
            let stream = VideoStream(track, room: services)
            state.streams[track.id] = stream
            state.revision += 1
            return stream
        }
    }

    /// Ends a participant's track, and the connections that show only this track.
    func end(_ track: Track) {
        if track.kind == .mixMinus, let number = track.participant?.number {
            return endMix(of: number)
        }
        if track.kind == .microphone || track.kind == .shareAudio { return endSound(track.id) }
        let stream = state.withLock { state in
            state.revision += 1
            state.ceilings[track.id] = nil
            if state.pinned == track.id { state.pinned = nil }
            return state.streams.removeValue(forKey: track.id)
        }
        guard let stream else { return }
        let orphans = state.withLock { state in
            state.viewers.values.filter { $0.onlyStream == track.id }.map(\.id)
        }
        for viewer in orphans { remove(viewer: viewer, because: nil) }
        adaptSoon()
        services.later { stream.stop() }
    }

    /// A person's audio has ended.
    private func endSound(_ track: UInt32) {
        let mixes = state.withLock { state in
            state.sounds[track] = nil
            return state.volumes.values.map(\.mix)
        }
        for mix in mixes { mix.remove(track) }
        services.host.wantsChanged()
    }

    /// A participant's mix has no listener any more.
    private func endMix(of number: UInt32) {
        let mix = state.withLock { state in
            state.revision += 1
            let mix = state.mixes.removeValue(forKey: number)
            route(Self.listeners(of: number, in: state), in: state)
            return mix
        }
        guard let mix else { return }
        adaptSoon()
        services.later { mix.stop() }
    }

    func take(_ frame: borrowing OutputFrame) throws {
        let id = frame.track.id
        try state.withLock { $0.streams[id] }?.take(frame)
    }

    func take(_ block: borrowing OutputBlock) throws {
        switch block.track.kind {
        case .fullMix: try audio.take(block.samples, at: block.timeNanoseconds)
        case .mixMinus:
            guard let number = block.track.participant?.number else { return }
            try state.withLock { $0.mixes[number] }?
                .take(block.samples, at: block.timeNanoseconds)
        case .mix: try ownAudio.take(block.samples, at: block.timeNanoseconds)
        case .microphone, .shareAudio: try mix(block)
        case .camera, .share, .incoming, .stage, .split: break
        }
    }

    /// Adds a person's audio to the mixes of viewers who have set volumes.
    private func mix(_ block: borrowing OutputBlock) throws(PluginError) {
        let person = block.track.participant?.number
        let mixes = state.withLock { state in
            state.volumes.map { viewer, own in
                var leftOut = state.echoes[viewer] ?? []
                if let number = state.hearing[viewer] { leftOut.insert(number) }
                return (own.mix, own.volumes.gain(of: person, leftOut: leftOut))
            }
        }
        for (mix, gain) in mixes {
            try mix.take(
                block.samples, of: block.track.id, at: block.timeNanoseconds, gain: gain)
        }
    }

    func follow(_ demand: TrackDemand) {
        let guests = state.withLock { Array($0.guests.values) }
        for guest in guests where guest.video?.follow(demand) ?? false {
            // Notify the guest's page, which sends no larger size than the session needs.
            changed()
            return
        }
    }

    // MARK: Listeners

    /// Routes the viewers that belong to a participant to the mix without the participant.
    func moveListeners(of participant: UInt32) {
        state.withLock { state in
            route(Self.listeners(of: participant, in: state), in: state)
        }
        services.host.wantsChanged()
    }

    /// The viewers that do not hear a participant.
    private static func listeners(of participant: UInt32, in state: State) -> [String] {
        state.hearing.filter { $0.value == participant }.map(\.key)
            + state.echoes.filter { $0.value.contains(participant) }.map(\.key)
    }

    /// Prevents echoes between rooms: no room receives the audio of a participant through whom it would hear
    /// itself.
    func leaveOutEchoes() {
        let isNew = state.withLock { state in
            let far = Self.farRooms(in: state)
            var echoes: [String: Set<UInt32>] = [:]
            for (id, viewer) in state.viewers {
                let leftOut = RoomMarks.leftOut(of: far, for: viewer.far.room)
                if !leftOut.isEmpty { echoes[id] = leftOut }
            }
            let changed = Set(echoes.keys).union(state.echoes.keys).filter {
                echoes[$0] != state.echoes[$0]
            }
            state.echoes = echoes
            route(Array(changed), in: state)
            return !changed.isEmpty
        }
        if isNew { services.host.wantsChanged() }
    }

    private static func farRooms(in state: State) -> [UInt32: RoomMarks.Far] {
        var far: [UInt32: RoomMarks.Far] = [:]
        for guest in state.guests.values where guest.sharer == nil && guest.far.room != nil {
            if let number = guest.participant?.number { far[number] = guest.far }
        }
        return far
    }

    /// The rooms that a description for the far end names.
    ///
    /// - Parameter target: The far room; nil if unknown.
    func rooms(for target: String? = nil) -> [String] {
        state.withLock { state in
            let far = Self.farRooms(in: state)
            return RoomMarks.rooms(
                id, far: far, without: RoomMarks.leftOut(of: far, for: target))
        }
    }

    /// Connects each viewer to the right mix. A guest who joins again after a loss is a new participant,
    /// before or after the old one has left.
    func route(_ viewers: [String], in state: State) {
        for viewer in viewers {
            guard let feed = state.viewers[viewer]?.audio else { continue }
            let echoes = state.echoes[viewer] ?? []
            let shared =
                switch echoes.count {
                case 0: state.hearing[viewer].flatMap { state.mixes[$0] } ?? audio
                // Each mix leaves out a single participant, so several echoes have no mix.
                case 1: echoes.first.flatMap { state.mixes[$0] } ?? ownAudio
                default: ownAudio
                }
            let target = state.volumes[viewer]?.mix.stream ?? shared
            for other in [audio, ownAudio] + state.mixes.values where other !== target {
                other.remove(feed)
            }
            target.add(feed)
        }
    }

    func changed() { state.withLock { $0.revision += 1 } }

    /// Counts changes that pages show.
    var revision: Int { state.withLock { $0.revision } }

    /// Takes candidates that follow the offer of a viewer or a guest.
    func take(
        _ fragment: CandidateFragment, of peer: (State) -> Peer?
    ) throws(RequestError) {
        guard let peer = state.withLock({ peer($0) }) else {
            throw RequestError(.notFound, "No such connection.")
        }
        try peer.take(fragment)
    }

    // MARK: Places

    /// Reserves a place for a connection, before the connection is made.
    ///
    /// - Parameter address: The viewer's address; nil if the address has no limit of viewers.
    /// - Throws: ``RequestError`` if there is none.
    func reserve(_ place: Place, from address: String? = nil) throws(RequestError) {
        try state.withLock { state throws(RequestError) in
            let taken = state.places[place, default: 0]
            switch place {
            case .guest where taken >= RoomLimits.guests, .share where taken >= RoomLimits.guests:
                throw RequestError(
                    .full, "The room has \(RoomLimits.guests) guests, which is the limit.")
            case .viewer where taken >= RoomLimits.viewers:
                throw RequestError(
                    .full, "The room has \(RoomLimits.viewers) viewers, which is the limit.")
            default: break
            }
            let own = address.map { state.viewerPlaces[$0, default: 0] + 1 } ?? 0
            guard own <= RoomLimits.viewersOfAddress else {
                throw RequestError(
                    .full,
                    "The room is open \(RoomLimits.viewersOfAddress) times at your address: close one "
                        + "of them.")
            }
            var places = state.places
            places[place] = taken + 1
            let senders = places[.guest, default: 0] + places[.share, default: 0]
            guard !state.isClosed else { throw Self.full }
            guard
                RoomLimits.fits(
                    viewers: places[.viewer, default: 0], senders: senders,
                    layered: Self.layered(in: state), openFiles: openFiles)
            else {
                throw RequestError(
                    .full,
                    "The room's process has no files and threads left for more people: it has "
                        + "\(taken) \(place == .viewer ? "viewers" : "guests").")
            }
            state.places = places
            if let address { state.viewerPlaces[address] = own }
        }
    }

    /// The number of guests and shares that send layers.
    static func layered(in state: State) -> Int {
        state.guests.values.count { $0.video?.hasLayers ?? false }
    }

    /// Whether a new guest may send layers.
    var takesLayers: Bool {
        state.withLock { state in
            RoomLimits.mayLayer(
                viewers: state.places[.viewer, default: 0],
                senders: state.places[.guest, default: 0] + state.places[.share, default: 0],
                layered: Self.layered(in: state), openFiles: openFiles)
        }
    }

    /// Stops a connection later, and then frees its place.
    func release(
        _ place: Place, from address: String? = nil, stop: @escaping @Sendable () -> Void = {}
    ) {
        services.later { [self] in
            stop()
            state.withLock { state in
                state.places[place, default: 0] -= 1
                guard let address else { return }
                let rest = state.viewerPlaces[address, default: 1] - 1
                state.viewerPlaces[address] = rest > 0 ? rest : nil
            }
        }
    }

    /// Removes the viewer or guest that has not connected, or the guest that has been silent, for the longest
    /// time: they have probably left.
    ///
    /// - Returns: Whether there was one.
    func makePlace(_ place: Place) -> Bool {
        let now = greenroom_gst_now()
        let (viewers, guests) = state.withLock {
            (Array($0.viewers.values), Array($0.guests.values))
        }
        // Viewers may send only a report every 5 s.
        let idle: [(id: String, nanoseconds: UInt64)] =
            switch place {
            case .viewer:
                viewers.compactMap { viewer in
                    viewer.peer.waiting(now: now).map { (viewer.id, $0) }
                }
            case .guest, .share:
                guests.filter { ($0.sharer == nil) == (place == .guest) }.compactMap { guest in
                    guest.peer?.silence(now: now).map { (guest.id, $0) }
                }
            }
        guard let longest = idle.max(by: { $0.nanoseconds < $1.nanoseconds }),
            longest.nanoseconds > Self.longestPlaceSilence
        else { return false }
        if place == .viewer {
            remove(viewer: longest.id, because: "not connected, and another viewer needs the place")
        } else {
            remove(
                guest: longest.id, because: "no packets arrive, and another guest needs the place")
        }
        return true
    }

    /// Reserves a place with `admit`. If the room is full, ends a silent connection and tries once more.
    func admitting<Admitted>(_ place: Place, _ admit: () throws -> Admitted) async throws
        -> Admitted
    {
        do {
            return try admit()
        } catch let error as RequestError where error.code == .full {
            guard makePlace(place) else { throw error }
            // Its place is free when its pipeline has stopped.
            try await Task.sleep(for: .milliseconds(500))
            return try admit()
        }
    }

    /// A connection without packets for so long gives its place to another one, in nanoseconds.
    private static let longestPlaceSilence: UInt64 = 5_000_000_000

    static let full = RequestError(.full, "The room is full: try again later.")

    // MARK: The end

    /// Removes viewers and guests who have vanished, and looks at what networks carry. Called every
    /// second.
    func tick() {
        services.reportDecoded()
        let now = greenroom_gst_now()
        let (viewers, guests, hasStreams) = state.withLock {
            (Array($0.viewers.values), Array($0.guests.values), !$0.streams.isEmpty)
        }
        if hasStreams { adaptSoon() }
        for guest in guests { guest.video?.measure(now: now) }
        for viewer in viewers { say(viewer.peer.newTrouble(now: now), of: viewer.id, "a viewer") }
        for guest in guests {
            say(guest.peer?.newTrouble(now: now), of: guest.id, guest.name)
            say(guest.newBlindness(now: now), of: guest.id, guest.name)
        }
        for viewer in viewers {
            if let fault = viewer.peer.fault(now: now) { remove(viewer: viewer.id, because: fault) }
        }
        for guest in guests {
            if let fault = guest.fault(now: now) { remove(guest: guest.id, because: fault) }
        }
        forgetTracksOfGone()
        followSpeech()
    }

    /// Says why a connection has no media.
    private func say(_ trouble: String?, of id: String, _ name: String) {
        guard let trouble else { return }
        let server = state.withLock { state in
            state.revision += 1
            return state.servers.first { $0.value == id }?.key.rawValue
        }
        services.host.log(.warning, "\(server ?? name): \(trouble)")
    }

    /// Forgets the tracks of guests who have left. The host reports only the ends of requested tracks, and
    /// the room requests nothing of a track without viewers.
    private func forgetTracksOfGone() {
        let (tracks, mixes, isQuieter) = state.withLock { state in
            let guests = state.guests.values
            let here = Set(guests.compactMap { $0.participant?.number })
            let sharing = Set(guests.compactMap { $0.sharer?.participant?.number })
            let sounds = state.sounds.count
            state.sounds = state.sounds.filter { sound in sound.value.map(here.contains) ?? true }
            let tracks = state.streams.values.map(\.track).filter { track in
                guard let number = track.participant?.number else { return false }
                return !(track.kind == .share ? sharing : here).contains(number)
            }
            return (
                tracks, state.mixes.keys.filter { !here.contains($0) }, state.sounds.count < sounds
            )
        }
        if isQuieter { services.host.wantsChanged() }
        for track in tracks { end(track) }
        for number in mixes { endMix(of: number) }
    }

    /// Ends everything. Waits for the pipelines.
    func close() {
        let (ended, viewers, guests) = state.withLock { state in
            state.isClosed = true
            defer {
                state.streams = [:]
                state.mixes = [:]
                state.volumes = [:]
                state.viewers = [:]
                state.guests = [:]
            }
            return (
                (
                    Array(state.streams.values),
                    Array(state.mixes.values) + state.volumes.values.map(\.mix.stream)
                ),
                Array(state.viewers.values), Array(state.guests.values)
            )
        }
        // Peers that still get packets while they stop make GStreamer complain.
        for stream in ended.0 { stream.stop() }
        for mix in ended.1 { mix.stop() }
        audio.stop()
        ownAudio.stop()
        // Stop all peers at once, because each waits for its threads and the callback's time is limited.
        DispatchQueue.concurrentPerform(iterations: viewers.count + guests.count) { index in
            if index < viewers.count {
                viewers[index].peer.stop()
            } else {
                guests[index - viewers.count].leave()
            }
        }
        services.finish()
    }
}
