package import GreenroomMedia
package import GreenroomRuntime

/// Recovers the clock of a source from the times of its audio blocks: where its samples belong, and
/// how far to stretch them to stay there.
///
/// Blocks follow each other without a gap, so the samples themselves are a clock, which drifts
/// against the session clock as every sound card's does. Once drift is found, the audio is
/// stretched by the drift plus what makes up the difference that has accumulated.
package struct AudioClockRecovery: Sendable {
    /// The limit of the stretch, in ppm.
    package static let limit = 3000.0
    /// The time over which an accumulated difference is made up, in seconds.
    private static let settling = 10.0
    /// How much too late the first block's time may be, in nanoseconds, before the audio is moved.
    private static let firstTolerance = 40e6

    private var tracker = ClockDriftEstimator()
    /// The position of the first sample, in frames of the session, and the time of its block.
    private var begun = (place: Int64(0), moment: Int64(0), drift: 0.0, correction: Int64(0))
    /// How much the times were corrected because the clock of the timestamps drifts, and how much
    /// faster that clock runs, in ppm.
    private var stamps = (correction: Int64(0), ppm: 0.0)
    /// The audio taken since then, in frames of the session.
    private var frames = 0.0
    /// Frames that were left out because of steps, which may turn out to be drift.
    private var leftOut: Int64 = 0
    /// Whether the first sample is where its time says, which the next blocks have not confirmed yet.
    private var hasJustBegun = false

    package init() {}

    /// Whether the source's clock is known to drift.
    package var hasDrifted: Bool { tracker.hasDrifted || stamps.ppm != 0 }

    /// How much faster the source's clock runs, in ppm; nil if it doesn't drift.
    package var driftPPM: Double? { hasDrifted ? tracker.driftPPM + stamps.ppm : nil }

    /// Starts again: the next sample follows no other.
    ///
    /// - Parameters:
    ///   - place: Its position, in frames of the session.
    ///   - moment: Its time on the session clock.
    package mutating func begin(at place: Int64, moment: Int64) {
        tracker.restart()
        begun = (place, moment, tracker.drift(at: moment), stamps.correction)
        frames = 0
        leftOut = 0
        hasJustBegun = true
    }

    /// Records the correction of the times before the next one arrives. The samples are compared
    /// with the uncorrected timestamps: the correction is known exactly, and its onset would look
    /// like a change of delay.
    ///
    /// - Parameters:
    ///   - nanoseconds: The correction for a drift.
    ///   - ppm: How much faster the clock of the timestamps runs, in ppm.
    package mutating func correct(by nanoseconds: Int64, ppm: Double) {
        stamps = (nanoseconds, ppm)
    }

    /// Moves the origin of positions.
    ///
    /// - Parameter frames: How much is added to a position.
    package mutating func move(by frames: Int64) { begun.place += frames }

    /// Counts frames that are left out: they are not missing, and no stretch makes up for them.
    package mutating func leaveOut(_ frames: Int64) {
        begun.place -= frames
        leftOut += frames
    }

    /// Stops measuring: while the host sets the source's pace, the times of its blocks say nothing
    /// about its clock.
    package mutating func pause() {
        tracker.restart()
        hasJustBegun = false
    }

    /// Records the time of a block.
    ///
    /// - Parameter isStamped: Whether the source gave it. Without timestamps blocks come in bursts, and
    ///   the first of a burst is not late.
    /// - Returns: What this block shows: that the clock drifts, or a step, where samples were lost
    ///   or repeated, or after a first time that was too late.
    package mutating func observe(
        moment: Int64, isStamped: Bool
    ) -> ClockDriftEstimator.Event? {
        let elapsed = frames * 1e9 / Double(AudioFormat.session.sampleRate)
        let correction = stamps.correction - begun.correction
        let delay = Double(moment - correction - begun.moment) - elapsed
        let event = tracker.observe(delay: delay, at: moment)
        if case .drifts(let steps) = event, steps < 0 {
            // The drift contains them.
            let undone = -steps * Double(AudioFormat.session.sampleRate) / 1e9
            begun.place += min(leftOut, Int64(undone))
        }
        guard hasJustBegun, !tracker.isLearning else { return event }
        hasJustBegun = false
        // The least delay so far; that of the first block is zero.
        let late = tracker.envelope(at: moment)
        return isStamped && late < -Self.firstTolerance ? .stepped(late) : event
    }

    /// Counts frames that were taken.
    package mutating func count(_ frames: Int, of format: AudioFormat) {
        self.frames +=
            Double(frames) * Double(AudioFormat.session.sampleRate) / Double(format.sampleRate)
    }

    /// The current stretch, in ppm; positive makes more audio.
    ///
    /// - Parameters:
    ///   - place: The position of the next sample.
    ///   - moment: The current time, approximately.
    package func stretch(at place: Double, moment: Int64) -> Double {
        let rate = Double(AudioFormat.session.sampleRate)
        let correction = Double(stamps.correction - begun.correction)
        let drift = (tracker.drift(at: moment) - begun.drift + correction) * rate / 1e9
        let missing = Double(begun.place) + frames + drift - place
        let ppm = -tracker.driftPPM - stamps.ppm + missing / rate / Self.settling * 1e6
        return min(max(ppm, -Self.limit), Self.limit)
    }
}
