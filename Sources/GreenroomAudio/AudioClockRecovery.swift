package import GreenroomMedia
package import GreenroomRuntime

/// Recovers the clock of a source from the times of its audio blocks: the positions of its samples,
/// and the stretch that keeps the samples there.
///
/// Blocks follow each other without a gap, so the samples themselves are a clock. This clock drifts
/// against the session clock, as the clock of every sound card does. Once drift is detected, the
/// audio is stretched by the drift, plus a correction for the accumulated difference.
package struct AudioClockRecovery: Sendable {
    /// The limit of the stretch, in ppm.
    package static let limit = 3000.0
    /// The time over which an accumulated difference is corrected, in seconds.
    private static let settling = 10.0
    /// The largest delay of the first block's time before the audio is moved, in nanoseconds.
    private static let firstTolerance = 40e6

    private var tracker = ClockDriftEstimator()
    /// The position of the first sample, in frames of the session, and the time of its block.
    private var begun = (place: Int64(0), moment: Int64(0), drift: 0.0, correction: Int64(0))
    /// The correction of the times for a drift of the timestamps' clock, and the excess speed of
    /// that clock, in ppm.
    private var stamps = (correction: Int64(0), ppm: 0.0)
    /// The audio taken since the first sample, in frames of the session.
    private var frames = 0.0
    /// Frames that were skipped because of steps. The steps may later prove to be drift.
    private var leftOut: Int64 = 0
    /// Whether the first sample is at the position of its time, which later blocks have not
    /// confirmed yet.
    private var hasJustBegun = false

    package init() {}

    /// Whether the source's clock is known to drift.
    package var hasDrifted: Bool { tracker.hasDrifted || stamps.ppm != 0 }

    /// The excess speed of the source's clock, in ppm; nil without drift.
    package var driftPPM: Double? { hasDrifted ? tracker.driftPPM + stamps.ppm : nil }

    /// Starts again with a sample that does not follow earlier samples.
    ///
    /// - Parameters:
    ///   - place: The sample's position, in frames of the session.
    ///   - moment: The sample's time on the session clock.
    package mutating func begin(at place: Int64, moment: Int64) {
        tracker.restart()
        begun = (place, moment, tracker.drift(at: moment), stamps.correction)
        frames = 0
        leftOut = 0
        hasJustBegun = true
    }

    /// Records the correction of the times before the next time arrives. The samples are compared
    /// with the uncorrected timestamps, because the correction is known exactly, and its start
    /// would look like a change of delay.
    ///
    /// - Parameters:
    ///   - nanoseconds: The correction for a drift.
    ///   - ppm: The excess speed of the timestamps' clock, in ppm.
    package mutating func correct(by nanoseconds: Int64, ppm: Double) {
        stamps = (nanoseconds, ppm)
    }

    /// Moves the origin of positions.
    ///
    /// - Parameter frames: The number of frames to add to each position.
    package mutating func move(by frames: Int64) { begun.place += frames }

    /// Counts skipped frames. Skipped frames are not missing, and no stretch compensates for them.
    package mutating func leaveOut(_ frames: Int64) {
        begun.place -= frames
        leftOut += frames
    }

    /// Stops measuring. While the host paces the source, the times of its blocks do not show the
    /// source's clock.
    package mutating func pause() {
        tracker.restart()
        hasJustBegun = false
    }

    /// Records the time of a block.
    ///
    /// - Parameter isStamped: Whether the time is the source's timestamp. Without timestamps blocks
    ///   arrive in bursts, and the first block of a burst is not late.
    /// - Returns: The finding: a drift of the clock, or a step because samples were lost or
    ///   repeated or the first time was too late; nil if none.
    package mutating func observe(
        moment: Int64, isStamped: Bool
    ) -> ClockDriftEstimator.Event? {
        let elapsed = frames * 1e9 / Double(AudioFormat.session.sampleRate)
        let correction = stamps.correction - begun.correction
        let delay = Double(moment - correction - begun.moment) - elapsed
        let event = tracker.observe(delay: delay, at: moment)
        if case .drifts(let steps) = event, steps < 0 {
            // The drift includes the steps.
            let undone = -steps * Double(AudioFormat.session.sampleRate) / 1e9
            begun.place += min(leftOut, Int64(undone))
        }
        guard hasJustBegun, !tracker.isLearning else { return event }
        hasJustBegun = false
        // The smallest delay so far. The first block's delay is zero.
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
