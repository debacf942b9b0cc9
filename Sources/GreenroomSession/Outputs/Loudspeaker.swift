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

    /// What the sound thread and the loudspeaker's own thread share.
    struct State: Sendable {
        var ring = SampleRing(capacity: AudioFormat.session.sampleRate / 4)
        var isFinishing = false
        var statistics = Statistics()
    }

    /// The device, as ALSA knows it.
    let name: String
    private let state: Monitor<State>
    private let thread: HostThread

    /// Opens the device.
    init(device: String, events: SessionEvents) throws(OutputError) {
        name = "loudspeaker \(device)"
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

    func write(_ samples: Span<Int16>) {
        state.change { state in
            let taken = state.ring.append(samples, channels: 2)
            state.statistics.dropped += samples.count / 2 - taken
        }
    }

    func finish(until deadline: Int64) {
        state.change { $0.isFinishing = true }
        guard !thread.join(until: deadline) else { return }
        state.withLock { $0.statistics.failure = "the device hangs, and was left behind." }
    }
}
