import GreenroomModel
import GreenroomALSA
import GreenroomAudio
import GreenroomLifecycle
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo

/// The session's audio on an ALSA PCM.
///
/// The audio thread writes samples to a ring of 250 ms without waiting, and the loudspeaker's own
/// thread passes them to the device. If the device is lost or too slow, the loudspeaker drops and
/// counts samples.
final class Loudspeaker: AudioSink {
    /// Counts of the audio.
    struct Statistics: Sendable {
        /// The device's sample rate in hertz.
        var sampleRate = 0
        /// Session frames that the device accepted.
        var played = 0
        /// Number of underruns.
        var underruns = 0
        /// Session frames that were dropped.
        var dropped = 0
        /// The excess of the device's clock rate over the session's, in ppm; nil if the device has
        /// no clock, such as a file.
        var driftPPM: Double?
        /// Number of times that the device was reopened after a loss.
        var reopened = 0
        /// The reason that there is no audio now; nil if there is audio.
        var failure: String?
    }

    /// A loudspeaker in the report. The session's audio is the sum of `played`, `dropped` and the
    /// buffered samples.
    private struct Entry: Encodable, Sendable {
        /// ALSA's name of the device.
        var output: String
        /// The device's sample rate in hertz.
        var sampleRate: Int
        /// Frames of 48 kHz that the device accepted.
        var played: Int
        /// Number of underruns.
        var underruns: Int
        /// Frames of 48 kHz that were dropped: the device was lost, or too slow.
        var dropped: Int
        /// The excess of the device's clock rate over the session's, in ppm; absent if the device
        /// has no clock, and in the first second.
        var driftPPM: Double?
        /// Number of times that the device was reopened after a loss.
        var reopened: Int
        /// Samples of the mix above 16 bits, which were clipped.
        var clampedSamples: Int
        /// The reason that there was no audio at the end; absent if there was audio.
        var failure: String?
    }

    /// State shared by the audio thread and the loudspeaker's own thread.
    struct State: Sendable {
        var ring = SampleRing(capacity: AudioFormat.session.sampleRate / 4)
        var isFinishing = false
        var statistics = Statistics()
    }

    static let reportKey = "loudspeakers"

    /// ALSA's name of the device.
    let name: String
    private let events: SessionEvents
    private let clock: HostClock
    private let state: Monitor<State>
    private let thread: HostThread

    /// Opens the device.
    ///
    /// - Parameter clock: The clock for the time limit of a device that accepts nothing, and for
    ///   attempts to reopen it.
    init(device: String, clock: HostClock, events: SessionEvents) throws(OutputError) {
        name = "loudspeaker \(device)"
        self.clock = clock
        self.events = events
        let state = Monitor(State())
        self.state = state
        let line: SpeakerDevice
        do throws(ALSAError) {
            line = try SpeakerDevice(opening: device, clock: clock)
        } catch {
            throw OutputError(place: name, explanation: "\(error)")
        }
        let rate = line.sampleRate
        state.withLock { $0.statistics.sampleRate = rate }
        // The thread owns the device. The monitor passes the device to the thread.
        let carrier = Monitor<SpeakerDevice?>(line)
        let name = name
        thread = HostThread(name: "loudspeaker") {
            let line: SpeakerDevice? = carrier.withLock { $0.take() }
            guard let line else { return }
            var feed = SpeakerThread(line: line, device: device, state: state, clock: clock) {
                text in
                events.send(.note(role: name, text: text))
            }
            feed.run()
        }
    }

    /// Ends the thread if the session never started.
    deinit { state.change { $0.isFinishing = true } }

    var statistics: Statistics { state.withLock { $0.statistics } }

    /// The health of the sink, which stays working because a lost device may return.
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
        if !thread.join(until: deadline, on: clock) {
            state.withLock { $0.statistics.failure = "device hung; not closed" }
        }
        if let reason = statistics.failure {
            events.send(.outputFailed(output: name, reason: reason))
        }
    }
}
