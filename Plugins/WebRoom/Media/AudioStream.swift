import GreenroomPlugin
import Synchronization

/// Audio that is encoded as Opus once, while it has listeners.
final class AudioStream: Sendable {
    /// The want for the stream's source tracks.
    static let want = TrackWant.audio(
        AudioTrackWant(
            format: AudioFormat(sampleRate: 48_000, channels: 2), blockFrames: 960))

    private struct State {
        var encoder: (pipeline: Pipeline, source: Source)?
        var feeds: [AudioFeed] = []
    }

    private let room: RoomServices
    private let state = Mutex(State())

    init(room: RoomServices) { self.room = room }

    var isHeard: Bool { state.withLock { !$0.feeds.isEmpty } }

    /// Adds a viewer, once.
    func add(_ feed: AudioFeed) {
        state.withLock { state in
            if !state.feeds.contains(where: { $0 === feed }) { state.feeds.append(feed) }
        }
    }

    /// Removes a viewer, if the stream has this viewer.
    func remove(_ feed: AudioFeed) {
        let unused = state.withLock { state -> Pipeline? in
            state.feeds.removeAll { $0 === feed }
            return state.feeds.isEmpty ? state.encoder.take()?.pipeline : nil
        }
        if let unused { room.later { unused.stop() } }
    }

    /// Encodes 20 ms. [the session's media thread]
    func take(_ samples: Span<Int16>, at nanoseconds: Int64) throws(PluginError) {
        guard isHeard else { return }
        let running = state.withLock { $0.encoder?.source }
        let source = if let running { running } else { try makeEncoder() }
        // 1 s: the encoder is far faster than that.
        guard source.waiting < 50 else { return room.count("blocks-dropped") }
        source.push(samples, at: room.clock.pts(nanoseconds), for: 20_000_000)
    }

    private func makeEncoder() throws(PluginError) -> Source {
        let pipeline = try Pipeline(
            "appsrc name=in format=time is-live=true max-buffers=60"
                + " caps=\"audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved\""
                + " ! opusenc bitrate=96000 frame-size=20 ! rtpopuspay"
                + " ! appsink name=out sync=false async=false",
            onError: { [room] text in room.host.log(.error, "audio: encoder: \(text)") })
        do throws(PluginError) {
            let source = try Source("in", of: pipeline)
            try Sink("out", of: pipeline).onPacket { [weak self] bytes in
                guard let self, let packet = bytes.packet(nil, delay: 0) else { return }
                for feed in self.state.withLock({ $0.feeds }) { feed.take(packet, of: self) }
            }
            try pipeline.play(from: room.clock.base)
            state.withLock { $0.encoder = (pipeline, source) }
            return source
        } catch {
            pipeline.stop()
            throw error
        }
    }

    /// Ends the encoder.
    func stop() {
        let encoder = state.withLock { state in
            state.feeds = []
            return state.encoder.take()
        }
        encoder?.pipeline.stop()
    }
}
