import GreenroomABI
import GreenroomMedia
import Synchronization
import Testing

/// What the fake host knows of a call.
struct FakeCall {
    struct Track: Equatable {
        var participant: UInt32
        var kind: UInt32
        var capability: VideoCapability?
    }

    /// Whether the host has the extension of calls.
    var isCall = false
    /// Those who are there.
    var participants: [UInt32: String] = [:]
    /// Open tracks, by their senders.
    var tracks: [UInt64: Track] = [:]
    /// What was asked for and granted, in order.
    var log: [String] = []
    /// Whether the next tracks come without function tables.
    var opensWithoutFunctions = false
    var lastParticipant: UInt32 = 0
    var lastTrack: UInt64 = 0
}

extension FakeHost {
    static let call = Leaked(
        gr_call_host(
            struct_size: UInt32(MemoryLayout<gr_call_host>.size), reserved: 0,
            joined: { id, name, number in
                FakeHost[id]?.join(String(cString: name), &number.pointee) ?? Status.gone.rawValue
            },
            left: { id, number in FakeHost[id]?.leave(number) ?? Status.gone.rawValue },
            open_track: { id, track in
                FakeHost[id]?.open(&track.pointee) ?? Status.gone.rawValue
            },
            close_track: { id, sender in FakeHost[id]?.close(sender) ?? Status.gone.rawValue },
            set_muted: { id, sender, isMuted in
                FakeHost[id]?.mute(isMuted, sender) ?? Status.gone.rawValue
            }))

    private func join(_ name: String, _ number: inout UInt32) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "joined") }
        guard (1...100).contains(name.utf8.count) else { return refuse(.badArgument, "joined") }
        let joined = state.withLock { state -> UInt32? in
            guard state.call.participants.count < Int(GR_MAX_PARTICIPANTS) else { return nil }
            state.call.lastParticipant += 1
            state.call.participants[state.call.lastParticipant] = name
            state.call.log.append("joined \(name)")
            return state.call.lastParticipant
        }
        guard let joined else { return refuse(.noBuffer, "joined") }
        number = joined
        return Status.ok.rawValue
    }

    private func leave(_ number: UInt32) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "left") }
        let hasLeft = state.withLock { state in
            guard let name = state.call.participants.removeValue(forKey: number) else {
                return false
            }
            state.call.tracks = state.call.tracks.filter { $0.value.participant != number }
            state.call.log.append("left \(name)")
            return true
        }
        return hasLeft ? Status.ok.rawValue : refuse(.badArgument, "left")
    }

    private func open(_ track: inout gr_open_track) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "open_track") }
        let wanted = track
        let opened = state.withLock { state -> UInt64? in
            let isSecond = state.call.tracks.values.contains {
                $0.participant == wanted.participant && $0.kind == wanted.kind
            }
            guard wanted.struct_size >= MemoryLayout<gr_open_track>.size,
                state.call.participants[wanted.participant] != nil,
                (1...4).contains(wanted.kind), !isSecond
            else { return nil }
            state.call.lastTrack += 1
            let sender = id | state.call.lastTrack << 32
            state.call.tracks[sender] = FakeCall.Track(
                participant: wanted.participant, kind: wanted.kind,
                capability: VideoCapability(readable: wanted.capability))
            return sender
        }
        guard let opened else { return refuse(.badArgument, "open_track") }
        track.sender = opened
        track.track = UInt32(opened >> 32)
        guard !state.withLock({ $0.call.opensWithoutFunctions }) else { return Status.ok.rawValue }
        if track.kind % 2 == 1 {
            track.video = FakeHost.video.pointer
        } else {
            track.audio = FakeHost.audio.pointer
        }
        return Status.ok.rawValue
    }

    private func close(_ sender: UInt64) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "close_track") }
        let track = state.withLock { state in
            let track = state.call.tracks.removeValue(forKey: sender)
            if let track { state.call.log.append("closed \(track.kind)") }
            return track
        }
        return track == nil ? refuse(.badArgument, "close_track") : Status.ok.rawValue
    }

    private func mute(_ isMuted: UInt32, _ sender: UInt64) -> gr_status {
        if let refusal = ingest() { return refuse(refusal, "set_muted") }
        let isOpen = state.withLock { state in
            guard let track = state.call.tracks[sender] else { return false }
            state.call.log.append("muted \(track.kind) \(isMuted)")
            return true
        }
        return isOpen ? Status.ok.rawValue : refuse(.badArgument, "set_muted")
    }
}

extension VideoCapability {
    /// What a plugin has written; nil for all zero.
    fileprivate init?(readable written: gr_capability) {
        guard
            let rate = FrameRate(
                numerator: written.fps_numerator, denominator: written.fps_denominator)
        else { return nil }
        self.init(
            size: FrameSize(width: Int(written.width), height: Int(written.height)), rate: rate)
    }
}

extension FakeSession {
    /// Says what is needed of a track.
    func demand(
        _ sender: UInt64, _ capability: VideoCapability? = nil, isWanted: Bool = true,
        structSize: Int = MemoryLayout<gr_demand>.size
    ) throws {
        let table = try #require(extensionTable(GR_EXT_CALL))
            .assumingMemoryBound(to: gr_call.self).pointee
        var demand = gr_demand(
            struct_size: UInt32(structSize), is_wanted: isWanted ? 1 : 0, sender: sender,
            capability: capability.map { gr_capability($0) } ?? gr_capability())
        table.demand(plugin.pointee.`self`, &demand)
    }

    /// Says that a participant's track has ended.
    func gone(_ track: UInt32) throws {
        let table = try #require(extensionTable(GR_EXT_OUTPUT))
            .assumingMemoryBound(to: gr_output.self).pointee
        let gone = try #require(table.gone)
        gone(plugin.pointee.`self`, track)
    }
}
