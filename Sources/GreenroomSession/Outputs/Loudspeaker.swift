import GreenroomALSA
import GreenroomAudio
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo

/// The session's sound on an ALSA PCM.
///
/// The sound thread puts samples into a ring of 250 ms and goes on; a thread of the
/// loudspeaker's own hands them to the device. When the device is away or so slow that the ring
/// is full, samples are lost and counted.
final class Loudspeaker: AudioSink {
    /// What became of the sound.
    struct Statistics: Sendable {
        /// What the device runs at, in hertz.
        var sampleRate = 0
        /// Frames of the session that the device took.
        var played = 0
        /// Times that the device had nothing to play.
        var underruns = 0
        /// Frames of the session that were lost.
        var dropped = 0
        /// How much faster the device's clock is than the session's, in millionths; nil if it
        /// has no clock, as files have none.
        var driftPPM: Double?
        /// Times that the device was opened again after it had gone away.
        var reopened = 0
        /// Why there is no sound now, if there is none.
        var failure: String?
    }

    /// A loudspeaker, in the report. What the session gave it is `played` and `dropped`, and what
    /// it had not played yet.
    private struct Entry: Encodable, Sendable {
        /// The device.
        var output: String
        /// What the device runs at, in hertz.
        var sampleRate: Int
        /// Frames of 48 kHz that the device took.
        var played: Int
        /// Times that the device had nothing to play.
        var underruns: Int
        /// Frames of 48 kHz that were lost: the device was away, or too slow.
        var dropped: Int
        /// How much faster the device's clock is than the session's, in millionths; absent for
        /// a device without a clock, and in the first second.
        var driftPPM: Double?
        /// Times that the device was opened again after it had gone away.
        var reopened: Int
        /// Samples of the mix that were louder than 16 bits go, and were played as loud as that.
        var clampedSamples: Int
        /// Why there was no sound at the end.
        var failure: String?
    }

    /// What the sound thread and the loudspeaker's own thread share.
    struct State: Sendable {
        var ring = SampleRing(capacity: AudioFormat.session.sampleRate / 4)
        var isFinishing = false
        var statistics = Statistics()
    }

    static let reportKey = "loudspeakers"

    /// The device, as ALSA knows it.
    let name: String
    private let events: SessionEvents
    private let state: Monitor<State>
    private let thread: HostThread

    /// Opens the device.
    init(device: String, events: SessionEvents) throws(OutputError) {
        name = "loudspeaker \(device)"
        self.events = events
        let state = Monitor(State())
        self.state = state
        let line: SpeakerDevice
        do throws(ALSAError) {
            line = try SpeakerDevice(opening: device)
        } catch {
            throw OutputError(place: name, explanation: "\(error)")
        }
        let rate = line.sampleRate
        state.withLock { $0.statistics.sampleRate = rate }
        // The thread owns the line; the monitor carries it there.
        let carrier = Monitor<SpeakerDevice?>(line)
        let name = name
        thread = HostThread(name: "loudspeaker") {
            let line: SpeakerDevice? = carrier.withLock { $0.take() }
            guard let line else { return }
            var feed = SpeakerThread(line: line, device: device, state: state) { text in
                events.send(.note(role: name, text: text))
            }
            feed.run()
        }
    }

    /// A loudspeaker of a session that never began lets its thread go.
    deinit { state.change { $0.isFinishing = true } }

    var statistics: Statistics { state.withLock { $0.statistics } }

    /// A device that is away may come back.
    var health: SinkHealth { .working }

    func report(of mix: MixStatistics) -> OutputReport? {
        let counts = statistics
        var summary: [String] = []
        if counts.underruns + counts.dropped > 0 {
            summary.append(
                "\(name): \(counts.underruns) underruns, \(counts.dropped / 48) ms lost")
        }
        return OutputReport(
            key: Self.reportKey,
            entry: Entry(
                output: name, sampleRate: counts.sampleRate, played: counts.played,
                underruns: counts.underruns, dropped: counts.dropped, driftPPM: counts.driftPPM,
                reopened: counts.reopened, clampedSamples: mix.clampedSamples,
                failure: counts.failure), summary: summary)
    }

    func write(_ samples: Span<Int16>) {
        state.change { state in
            let taken = state.ring.append(samples, channels: 2)
            state.statistics.dropped += samples.count / 2 - taken
        }
    }

    func finish(until deadline: Int64) {
        state.change { $0.isFinishing = true }
        if !thread.join(until: deadline) {
            state.withLock { $0.statistics.failure = "the device hangs, and was left behind." }
        }
        if let reason = statistics.failure {
            events.send(.outputFailed(output: name, reason: reason))
        }
    }
}
