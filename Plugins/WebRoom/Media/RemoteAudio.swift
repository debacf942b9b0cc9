import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Audio that a guest sends.
final class RemoteAudio: Sendable {
    /// The elements that receive the audio in the guest's pipeline. The sink holds up all that follows the queue.
    static let elements =
        "rtpopusdepay name=opus ! queue max-size-buffers=500 max-size-bytes=0 max-size-time=0"
        + " ! opusdec plc=true ! audio/x-raw,format=S16LE,rate=48000,channels=2"
        + " ! appsink name=samples sync=true async=false max-buffers=20 drop=true"

    private static let format = AudioFormat(sampleRate: 48_000, channels: 2)
    /// 100 ms: the most that the host takes at once.
    private static let longestBlock = 9600
    /// The host plays a guest's audio 100 ms after its time. Older audio, such as audio that waited while the
    /// track was opened, would play later, and would delay all later audio behind its video.
    private static let longestDelay: Int64 = 100_000_000

    private struct State {
        var track: CallAudioTrack?
        var isMuted = false
        /// The delay of the last block; nil before the first.
        var delay: Int64?
        /// The samples of silence by which a longer delay moves audio; negative: the samples that a shorter one leaves
        /// out.
        var owed = 0
    }

    private static let silence = [Int16](repeating: 0, count: longestBlock)

    private let services: RoomServices
    private let arrival: Arrival
    /// Gets the level of each block, in dBFS.
    private let onLevel: @Sendable (Double) -> Void
    private let state = Mutex(State())

    init(
        services: RoomServices, arrival: Arrival, onLevel: @escaping @Sendable (Double) -> Void
    ) {
        (self.services, self.arrival, self.onLevel) = (services, arrival, onLevel)
    }

    /// The session's track has been opened.
    func open(_ track: CallAudioTrack) { state.withLock { $0.track = track } }

    /// The elements are there.
    func link(in pipeline: Pipeline) throws(PluginError) {
        try Encoded("opus", of: pipeline).filter { [arrival] bytes, pts in
            if pts != .max { arrival.add(bytes, at: pts) }
            return true
        }
        try Sink("samples", of: pipeline).onSamples { [weak self] samples in self?.take(samples) }
    }

    /// The guest is silent, or speaks again.
    func setMuted(_ isMuted: Bool) {
        let track = state.withLock { state in
            state.isMuted = isMuted
            return state.track
        }
        track?.setMuted(isMuted)
    }

    var isMuted: Bool { state.withLock { $0.isMuted } }

    /// Closes the track.
    func close() { state.withLock { $0.track.take() }?.close() }

    /// Sends samples with the time at which they were spoken, because jitter and bursts of packets must not
    /// move them.
    private func take(_ decoded: DecodedSamples) {
        let samples = decoded.samples
        let delay = arrival.delay
        let moved = state.withLock { state -> (track: CallAudioTrack, samples: Int)? in
            guard !state.isMuted, let track = state.track else { return nil }
            state.owed += Self.samples(delay &- (state.delay ?? delay))
            state.delay = delay
            let moved = max(state.owed, -samples.count)
            state.owed -= moved
            return (track, moved)
        }
        guard let (track, moved) = moved else { return }
        onLevel(SpeakerRule.level(of: samples.span))
        // A packet is sent when its last sample has been heard.
        let end = decoded.pts.map { arrival.time(of: $0, after: delay) }
        let now = services.host.nowNanoseconds
        if let end, now &- end > Self.longestDelay {
            return services.count("guests-blocks-late")
        }
        let begin = end.map { $0 &- Self.nanoseconds(samples.count) }
        var silence = max(moved, 0)
        // If this audio is late for its earlier time, the host has inserted silence.
        if let begin, now &- (begin &- Self.nanoseconds(silence)) > Self.longestDelay {
            silence = 0
        }
        while silence > 0 {
            let count = min(silence, Self.longestBlock)
            Self.silence.withUnsafeBufferPointer { zeros in
                send(
                    UnsafeBufferPointer(rebasing: zeros.prefix(count)),
                    at: begin.map { $0 &- Self.nanoseconds(silence) }, to: track)
            }
            silence -= count
        }
        var rest = samples.dropFirst(max(-moved, 0))
        while !rest.isEmpty {
            send(
                UnsafeBufferPointer(rebasing: rest.prefix(Self.longestBlock)),
                at: begin.map { $0 &+ Self.nanoseconds(rest.startIndex) }, to: track)
            rest = rest.dropFirst(Self.longestBlock)
        }
    }

    private func send(
        _ block: UnsafeBufferPointer<Int16>, at time: Int64?, to track: CallAudioTrack
    ) {
        do throws(SendRefusal) {
            try track.sender.send(block, format: Self.format, ptsNanoseconds: time, timeout: .none)
        } catch {
            if !error.isEnd { services.count("guests-blocks-refused") }
        }
    }

    /// The time for which samples last; both channels count.
    private static func nanoseconds(_ samples: Int) -> Int64 {
        Int64(samples / format.channels) * 1_000_000_000 / Int64(format.sampleRate)
    }

    /// The samples that last for a time, of less than a second.
    private static func samples(_ nanoseconds: Int64) -> Int {
        Int(nanoseconds * Int64(format.sampleRate) / 1_000_000_000) * format.channels
    }
}
