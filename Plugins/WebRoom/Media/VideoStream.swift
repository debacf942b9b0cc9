import CGStreamer
import GreenroomPlugin
import Synchronization

/// A video track of the session, as viewers get it: encoded once, and only while somebody watches.
final class VideoStream: Sendable {
    private struct State {
        var track: Track
        var encoder: VideoEncoder?
        /// By the viewer.
        var feeds: [String: Feed] = [:]
    }

    private let room: RoomServices
    private let state: Mutex<State>

    init(_ track: Track, room: RoomServices) {
        self.room = room
        state = Mutex(State(track: track))
    }

    var track: Track { state.withLock { $0.track } }

    /// Its source has agreed on a size and a rate.
    func update(_ track: Track) { state.withLock { $0.track = track } }

    /// What the room wants of the track now: nothing without a viewer.
    var want: TrackWant? {
        let track = track
        guard isWatched, let own = track.capability else { return nil }
        // Browsers take VP8 for BT.601, whatever its size.
        return .video(
            VideoTrackWant(size: size(of: own), rate: rate(of: own), matrix: .bt601))
    }

    var isWatched: Bool { state.withLock { !$0.feeds.isEmpty } }

    /// The session's own video whole, participants' in the size that a page shows.
    private func size(of own: VideoCapability) -> FrameSize {
        guard track.participant != nil else { return own.size }
        let factor = min(640 / Double(own.size.width), 360 / Double(own.size.height), 1)
        return FrameSize(
            width: max(2, Int(Double(own.size.width) * factor) / 2 * 2),
            height: max(2, Int(Double(own.size.height) * factor) / 2 * 2))
    }

    private func rate(of own: VideoCapability) -> FrameRate {
        min(own.rate, FrameRate(track.participant == nil ? 30 : 20))
    }

    /// That of the track now.
    private var rate: FrameRate { track.capability.map { rate(of: $0) } ?? FrameRate(30) }

    /// Adds a viewer.
    func add(_ feed: Feed, for viewer: String) { state.withLock { $0.feeds[viewer] = feed } }

    /// Removes a viewer; without any there is no encoder.
    func remove(_ viewer: String) {
        let unused = state.withLock { state -> VideoEncoder? in
            guard state.feeds.removeValue(forKey: viewer) != nil, state.feeds.isEmpty
            else { return nil }
            return state.encoder.take()
        }
        if let unused { room.later { unused.stop() } }
    }

    /// Lets a frame be encoded. [the session's media thread]
    func take(_ frame: borrowing OutputFrame) throws(PluginError) {
        guard let encoder = try encoder(for: frame.size) else { return }
        let duration = rate.dueNanoseconds(ofFrame: Int64(clamping: frame.periods))
        let isTaken = encoder.encode(
            frame, at: room.clock.pts(frame.timeNanoseconds), for: UInt64(clamping: duration))
        if !isTaken { room.count("frames-dropped") }
    }

    /// The encoder of a size, which is made when it is not there; nil without viewers.
    private func encoder(for size: FrameSize) throws(PluginError) -> VideoEncoder? {
        let (fits, unused) = state.withLock { state -> (VideoEncoder?, VideoEncoder?) in
            guard let encoder = state.encoder, encoder.size != size else {
                return (state.encoder, nil)
            }
            state.encoder = nil
            return (nil, encoder)
        }
        if let unused { room.later { unused.stop() } }
        if let fits { return fits }
        guard isWatched else { return nil }
        let name = track.name
        let made = try VideoEncoder(
            VideoCapability(size: size, rate: rate),
            base: room.clock.base,
            onError: { [room] text in room.host.log(.error, "\(name): encoder: \(text)") },
            take: { [weak self] buffer in self?.pass(buffer) })
        // The last viewer may have left meanwhile.
        let isUsed = state.withLock { state in
            guard !state.feeds.isEmpty else { return false }
            state.encoder = made
            return true
        }
        if !isUsed { room.later { made.stop() } }
        return isUsed ? made : nil
    }

    private func pass(_ buffer: EncodedBuffer) {
        let feeds = state.withLock { Array($0.feeds.values) }
        var needsKey = false
        for feed in feeds where feed.take(buffer) { needsKey = true }
        if needsKey { requestKey() }
    }

    /// Makes the next frame a key frame, for a viewer who joined or lost something. [any]
    func requestKey() {
        state.withLock { $0.encoder }?.requestKey(now: greenroom_gst_now())
    }

    /// Ends the encoder.
    func stop() {
        let encoder = state.withLock { state in
            state.feeds = [:]
            return state.encoder.take()
        }
        encoder?.stop()
    }
}
