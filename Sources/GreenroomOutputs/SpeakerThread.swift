import GreenroomALSA
import GreenroomAudio
import GreenroomMedia
import GreenroomRuntime

/// The thread of a loudspeaker: passes audio from the ring to the device, follows the device's
/// clock, and reopens a lost device.
struct SpeakerThread: ~Copyable {
    /// The tolerance above the target, in frames: 40 ms. The thread drops a larger excess instead
    /// of playing it late. The excess arises when late audio arrives after an underrun, during
    /// which the device played silence.
    private static let tolerance = AudioFormat.session.sampleRate * 40 / 1000
    /// Time between attempts to open the device, in seconds.
    private static let backOff: [Int64] = [1, 2, 4, 5]

    private var line: SpeakerDevice?
    private let device: String
    private let state: Monitor<Loudspeaker.State>
    private let clock: HostClock
    private let tell: @Sendable (String) -> Void
    private var controller = DriftController(target: SpeakerDevice.target)
    private var isStarted = false
    /// Frames to drop.
    private var excess = 0
    /// Frames from the ring that the device has not accepted.
    private var unplayed = 0
    private var samples = [Int16](repeating: 0, count: SpeakerDevice.longest * 2)

    /// - Parameter tell: The function that receives messages for the user.
    init(
        line: consuming SpeakerDevice, device: String, state: Monitor<Loudspeaker.State>,
        clock: HostClock, tell: @escaping @Sendable (String) -> Void
    ) {
        self.line = consume line
        self.device = device
        self.state = state
        self.clock = clock
        self.tell = tell
    }

    /// Runs until the loudspeaker is finished and the remaining audio is played.
    mutating func run() {
        while let (frames, waiting) = next() {
            do throws(ALSAError) {
                try play(frames, waiting: waiting)
            } catch {
                accept(error)
            }
            guard line != nil || reopen() else { return }
        }
        do throws(ALSAError) {
            if isStarted { try line?.drain() }
        } catch {
            // Ignore an underrun at the end.
        }
    }

    /// Waits for audio.
    ///
    /// - Returns: Frames taken, and frames still waiting; nil at the end.
    private mutating func next() -> (frames: Int, waiting: Int)? {
        let taken: (Int, Int)? = state.wait(until: nil) { state in
            guard state.ring.count > 0 || state.isFinishing else { return nil }
            var output = samples.mutableSpan
            let frames = state.ring.take(into: &output, at: 0, frames: SpeakerDevice.longest)
            return (frames, state.ring.count)
        }
        guard let taken, taken.0 > 0 else { return nil }
        return taken
    }

    private mutating func play(_ frames: Int, waiting: Int) throws(ALSAError) {
        let skipped = min(excess, frames)
        excess -= skipped
        if skipped > 0 { state.withLock { $0.statistics.dropped += skipped } }
        let played = frames - skipped
        unplayed = played
        guard played > 0 else { return }
        if !isStarted {
            try line?.start(waiting: played + waiting)
            controller.restart()
            isStarted = true
        }
        let audio = samples
        try line?.play(audio.span.extracting((skipped * 2)..<(frames * 2)))
        state.withLock {
            $0.statistics.played += played
            $0.statistics.failure = nil
        }
        unplayed = 0
        guard line?.hasClock == true, let queued = try line?.queued else { return }
        follow(fill: queued + Double(waiting), after: played)
    }

    private mutating func follow(fill: Double, after frames: Int) {
        if fill > Double(controller.target + Self.tolerance) {
            excess = Int(fill) - controller.target
            controller.restart()
        } else if controller.observe(fill: fill, after: frames) {
            line?.stretch(ppm: controller.stretchPPM)
            let drift = controller.driftPPM
            state.withLock { $0.statistics.driftPPM = drift }
        }
    }

    /// Continues after an underrun or a suspend. Closes the device after another error.
    private mutating func accept(_ error: ALSAError) {
        isStarted = false
        excess = 0
        let lost = unplayed
        unplayed = 0
        state.withLock { $0.statistics.dropped += lost }
        do throws(ALSAError) {
            try line?.recover(from: error)
            state.withLock { $0.statistics.underruns += 1 }
        } catch {
            line = nil
            let reason = "\(error)"
            state.withLock { $0.statistics.failure = reason }
            tell("\(reason) Retrying.")
        }
    }

    /// Reopens the device, with repeated attempts. Drops the audio meanwhile.
    ///
    /// - Returns: false if the loudspeaker finished first.
    private mutating func reopen() -> Bool {
        var attempt = 0
        while line == nil {
            let seconds = Self.backOff[min(attempt, Self.backOff.count - 1)]
            attempt += 1
            let deadline = clock.deadline(after: seconds * 1_000_000_000)
            let isFinishing: Bool? = state.wait(until: deadline, on: clock) {
                $0.isFinishing ? true : nil
            }
            if isFinishing == true {
                discardRing()
                return false
            }
            do throws(ALSAError) {
                line = try SpeakerDevice(opening: device, clock: clock)
            } catch {
                let reason = "\(error)"
                state.withLock { $0.statistics.failure = reason }
            }
        }
        discardRing()
        controller = DriftController(target: SpeakerDevice.target)
        let rate = line?.sampleRate ?? 0
        state.withLock {
            $0.statistics.sampleRate = rate
            $0.statistics.reopened += 1
        }
        tell("the device is back.")
        return true
    }

    private func discardRing() {
        state.withLock { state in
            state.statistics.dropped += state.ring.count
            state.ring.clear()
        }
    }
}
