import GreenroomModel
import GreenroomSystem
import GreenroomAudio
import GreenroomFiles
import GreenroomLifecycle
import GreenroomMedia
import GreenroomRuntime
import GreenroomVideo

/// A track's audio in a WAV file of 48 kHz stereo.
///
/// The audio thread writes samples to a ring of two seconds without waiting, and the recording's
/// own thread writes the file. If a slow disk fills the ring, the recording drops and counts
/// samples, and writes silence of the same length.
final class AudioRecording: AudioSink {
    /// Counts of samples.
    struct Counts: Sendable {
        /// Frames in the file.
        var written = 0
        /// Lost frames: silence replaces them because the disk was too slow, or the file had
        /// failed.
        var lost = 0
    }

    /// An audio recording in the report.
    private struct Entry: Encodable, Sendable {
        /// The path of the file.
        var output: String
        /// Frames in the file.
        var written: Int
        /// Lost frames: the disk was too slow, or the file had failed.
        var lost: Int
        /// The reason that the file is incomplete; absent if it is complete.
        var failure: String?
    }

    /// The longest write, in frames: 0.1 s, which keeps the file's header correct at low cost.
    private static let longest = AudioFormat.session.sampleRate / 10

    private struct State {
        var ring = SampleRing(capacity: AudioFormat.session.sampleRate * 2)
        /// Frames lost since the ring was full. The thread replaces them by silence.
        var missing = 0
        /// Frames that the thread is writing.
        var inHand = 0
        var counts = Counts()
        var isFinishing = false
        var failure: String?

        /// Whether the recording's thread has work.
        var isDue: Bool { ring.count >= AudioRecording.longest || missing > 0 || isFinishing }
    }

    static let reportKey = "audioFiles"

    let name: String
    private let state: Monitor<State>
    private let thread: HostThread

    private let events: SessionEvents
    private let clock: HostClock

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - replaces: Whether the file may exist.
    ///   - events: Receives a failure immediately.
    init(
        path: String, replaces: Bool, clock: SessionClock, events: SessionEvents
    ) throws(OutputError) {
        name = path
        self.events = events
        self.clock = clock.host
        let state = Monitor(State())
        self.state = state
        // The thread owns the writer. The monitor passes the writer to the thread.
        let carrier: Monitor<WAVWriter?>
        do throws(FileError) {
            carrier = Monitor(
                try WAVWriter(
                    path: path, sampleRate: AudioFormat.session.sampleRate,
                    channels: AudioFormat.session.channels, replaces: replaces))
        } catch {
            throw OutputError(place: path, explanation: "\(error.rule); \(error.cure)")
        }
        thread = HostThread(name: "wav", clock: clock, as: ClockOrder(part: .output)) {
            let writer: WAVWriter? = carrier.withLock { $0.take() }
            guard let writer else { return }
            do throws(FileError) {
                try Self.drain(state, on: clock, into: writer)
                events.send(.fileFinished(role: "record", file: path))
            } catch {
                state.withLock { state in
                    state.failure = "\(error)"
                    // Missing frames are already counted. Queued frames and frames being written
                    // are not.
                    state.counts.lost += state.ring.count + state.inHand
                    state.ring.clear()
                }
                events.sendFailed(output: path, reason: "\(error)", isRecording: true)
            }
        }
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// The reason that the file is incomplete; nil if it is complete.
    var failure: String? { state.withLock { $0.failure } }

    var health: SinkHealth { failure == nil ? .working : .failed }

    func report(of mix: MixStatistics) -> OutputReport? {
        let counts = counts
        return OutputReport(
            key: Self.reportKey,
            entry: Entry(
                output: name, written: counts.written, lost: counts.lost, failure: failure))
    }

    func write(_ samples: Span<Int16>) {
        let frames = samples.count / 2
        let isDue = state.withLock { state in
            guard state.failure == nil else {
                state.counts.lost += frames
                return false
            }
            // Write silence for lost frames first; otherwise samples would move in time.
            if state.missing == 0, state.ring.room >= frames {
                _ = state.ring.append(samples, channels: 2)
            } else {
                state.missing += frames
                state.counts.lost += frames
            }
            return state.isDue
        }
        if isDue { state.change { _ in } }
    }

    func beginFinish() { state.change { $0.isFinishing = true } }

    func finish(until deadline: Int64) {
        beginFinish()
        guard !thread.join(until: deadline, on: clock) else { return }
        let reason = "not closed: a write is pending"
        state.withLock { $0.failure = reason }
        events.sendFailed(output: name, reason: reason, isRecording: true)
    }

    /// The loop of the recording's thread.
    private static func drain(
        _ state: Monitor<State>, on clock: SessionClock, into writer: consuming WAVWriter
    ) throws(FileError) {
        var samples = [Int16](repeating: 0, count: longest * 2)
        while true {
            let frames: Int? = clock.wait(for: state, until: nil) { state in
                guard state.isDue else { return nil }
                var output = samples.mutableSpan
                let taken = state.ring.take(into: &output, at: 0, frames: longest)
                state.inHand = taken
                guard taken == 0, state.missing > 0 else { return taken }
                let silent = min(state.missing, longest)
                for index in 0..<(silent * 2) { output[index] = 0 }
                state.missing -= silent
                return silent
            }
            guard let frames, frames > 0 else {
                try writer.close()
                return
            }
            try writer.write(samples.span.extracting(..<(frames * 2)))
            state.withLock { state in
                state.counts.written += frames
                state.inHand = 0
            }
        }
    }
}
