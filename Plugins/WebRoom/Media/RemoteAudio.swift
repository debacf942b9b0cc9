import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Audio that a guest sends.
final class RemoteAudio: Sendable {
    /// The elements that receive the audio in the guest's pipeline.
    static let elements =
        "queue max-size-buffers=500 max-size-bytes=0 max-size-time=0 ! rtpopusdepay"
        + " ! opusdec plc=true ! audio/x-raw,format=S16LE,rate=48000,channels=2"
        + " ! appsink name=samples \(Arrival.wait) async=false max-buffers=20 drop=true"

    private static let format = AudioFormat(sampleRate: 48_000, channels: 2)
    /// 100 ms: the most that the host takes at once.
    private static let longestBlock = 9600
    /// The host plays a guest's audio 100 ms after its time. Older audio, such as audio that waited while the
    /// track was opened, would play later, and would delay all later audio behind its video.
    private static let longestDelay: Int64 = 100_000_000

    private struct State {
        var track: CallAudioTrack?
        var isMuted = false
    }

    private let services: RoomServices
    /// Gets the level of each block, in dBFS.
    private let onLevel: @Sendable (Double) -> Void
    private let state = Mutex(State())

    init(services: RoomServices, onLevel: @escaping @Sendable (Double) -> Void) {
        (self.services, self.onLevel) = (services, onLevel)
    }

    /// The session's track has been opened.
    func open(_ track: CallAudioTrack) { state.withLock { $0.track = track } }

    /// The elements are there.
    func link(in pipeline: Pipeline) throws(PluginError) {
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
        guard let track = state.withLock({ $0.isMuted ? nil : $0.track }) else { return }
        let samples = decoded.samples
        onLevel(SpeakerRule.level(of: samples.span))
        // A packet is sent when its last sample has been heard.
        let end = decoded.pts.map { Arrival.time(of: $0, on: services.clock) }
        if let end, services.host.nowNanoseconds &- end > Self.longestDelay {
            return services.count("guests-blocks-late")
        }
        let begin = end.map { $0 &- Self.nanoseconds(samples.count) }
        var rest = samples[...]
        while !rest.isEmpty {
            let block = UnsafeBufferPointer(rebasing: rest.prefix(Self.longestBlock))
            let time = begin.map { $0 &+ Self.nanoseconds(rest.startIndex) }
            rest = rest.dropFirst(Self.longestBlock)
            do throws(SendRefusal) {
                try track.sender.send(
                    block, format: Self.format, ptsNanoseconds: time, timeout: .none)
            } catch {
                if !error.isEnd { services.count("guests-blocks-refused") }
            }
        }
    }

    /// The time for which samples last; both channels count.
    private static func nanoseconds(_ samples: Int) -> Int64 {
        Int64(samples / format.channels) * 1_000_000_000 / Int64(format.sampleRate)
    }
}
