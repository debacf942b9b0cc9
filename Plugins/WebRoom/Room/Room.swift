import CGStreamer
import Dispatch
import Glibc
import GreenroomPlugin
import GreenroomRoom
import Synchronization

/// The room: the session's streams, who watches them, and who joins.
final class Room: Sendable {
    struct State {
        /// Video tracks, by their id.
        var streams: [UInt32: VideoStream] = [:]
        /// What a participant is to hear, by their number.
        var mixes: [UInt32: AudioStream] = [:]
        var viewers: [String: Viewer] = [:]
        /// Guests and shares.
        var guests: [String: Guest] = [:]
        /// Viewers who are participants, too: their number, by the viewer.
        var hearing: [String: UInt32] = [:]
        var sum = AudioSum()
        /// Counts changes that pages show.
        var revision = 1
        var isClosed = false
    }

    let services: RoomServices
    /// What everybody hears who is no participant.
    let sound: AudioStream
    /// The only address to be reached at; nil: all.
    let address: String?
    /// Viewers and guests that this process has files for.
    let mostConnections: Int
    let state = Mutex(State())

    init(services: RoomServices, address: String?) {
        self.services = services
        self.address = address
        sound = AudioStream(room: services)
        mostConnections = RoomLimits.connections(openFiles: sysconf(Int32(_SC_OPEN_MAX)))
    }

    // MARK: What the session has

    /// A track is there, or has changed.
    ///
    /// - Returns: What the room wants of it now.
    func describe(_ track: Track) -> TrackWant? {
        switch track.kind {
        case .camera, .share:
            return stream(of: track).want
        case .mix, .incoming:
            return sound.isHeard ? AudioStream.want : nil
        case .mixMinus:
            guard let participant = track.participant?.number else { return nil }
            let (mix, isNew) = state.withLock { state in
                if let mix = state.mixes[participant] { return (mix, false) }
                let mix = AudioStream(room: services)
                state.mixes[participant] = mix
                return (mix, true)
            }
            if isNew { moveListeners(of: participant) }
            return mix.isHeard ? AudioStream.want : nil
        case .microphone, .shareAudio:
            return nil
        }
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

    /// A participant's track has ended: so have the connections that show it.
    func end(_ track: Track) {
        let (stream, mix) = state.withLock { state -> (VideoStream?, AudioStream?) in
            state.revision += 1
            guard track.kind == .mixMinus, let number = track.participant?.number else {
                return (state.streams.removeValue(forKey: track.id), nil)
            }
            return (nil, state.mixes.removeValue(forKey: number))
        }
        guard stream != nil || mix != nil else { return }
        let orphans = state.withLock { state in
            state.viewers.values.filter { $0.stream != nil && $0.stream === stream }.map(\.id)
        }
        for viewer in orphans { remove(viewer: viewer, because: nil) }
        services.later {
            stream?.stop()
            mix?.stop()
        }
    }

    func take(_ frame: borrowing OutputFrame) throws {
        let id = frame.track.id
        try state.withLock { $0.streams[id] }?.take(frame)
    }

    func take(_ block: borrowing OutputBlock) throws {
        switch block.track.kind {
        case .mix: try add(block, of: .own)
        case .incoming: try add(block, of: .incoming)
        case .mixMinus:
            guard let number = block.track.participant?.number else { return }
            try state.withLock { $0.mixes[number] }?
                .take(block.samples, at: block.timeNanoseconds)
        case .camera, .microphone, .share, .shareAudio: break
        }
    }

    private func add(_ block: borrowing OutputBlock, of part: AudioSum.Part) throws {
        let samples = block.samples
        let taken = AudioSum.Block(
            time: block.timeNanoseconds, samples: samples.indices.map { samples[$0] })
        let sums = state.withLock { $0.sum.add(taken, of: part) }
        for sum in sums { try sound.take(sum.samples.span, at: sum.time) }
    }

    func follow(_ demand: TrackDemand) {
        let guests = state.withLock { Array($0.guests.values) }
        for guest in guests where guest.video?.follow(demand) ?? false { return }
    }

    // MARK: Who listens to what

    /// Lets the viewers that belong to a participant hear all but themselves.
    func moveListeners(of participant: UInt32) {
        let (mix, viewers) = state.withLock { state in
            (
                state.mixes[participant],
                state.hearing.filter { $0.value == participant }.map(\.key)
            )
        }
        guard let mix else { return }
        for viewer in viewers {
            if let feed = sound.remove(viewer) { mix.add(feed, for: viewer) }
        }
        services.host.wantsChanged()
    }

    func changed() { state.withLock { $0.revision += 1 } }

    // MARK: The end

    /// Removes who has vanished. Called every second.
    func removeVanished() {
        let now = greenroom_gst_now()
        let (viewers, guests) = state.withLock {
            (Array($0.viewers.values), Array($0.guests.values))
        }
        for viewer in viewers {
            if let fault = viewer.peer.fault(now: now) { remove(viewer: viewer.id, because: fault) }
        }
        for guest in guests {
            if let fault = guest.peer?.fault(now: now) { remove(guest: guest.id, because: fault) }
        }
    }

    /// Ends everything. Waits for the pipelines.
    func close() {
        let (ended, viewers, guests) = state.withLock { state in
            state.isClosed = true
            defer {
                state.streams = [:]
                state.mixes = [:]
                state.viewers = [:]
                state.guests = [:]
            }
            return (
                (Array(state.streams.values), Array(state.mixes.values)),
                Array(state.viewers.values), Array(state.guests.values)
            )
        }
        // Each waits for threads of its own: together they are done within a callback's time.
        DispatchQueue.concurrentPerform(iterations: viewers.count + guests.count) { index in
            if index < viewers.count {
                viewers[index].peer.stop()
            } else {
                guests[index - viewers.count].leave()
            }
        }
        for stream in ended.0 { stream.stop() }
        for mix in ended.1 { mix.stop() }
        sound.stop()
        services.finish()
    }
}
