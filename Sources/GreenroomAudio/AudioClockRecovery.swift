package import GreenroomMedia
package import GreenroomRuntime

/// Where a source's samples belong, by the moments of its blocks, and how much more or less
/// sound to make of them so that they are there.
///
/// Blocks follow each other without a gap, so their samples are a clock: one that drifts
/// against the session's as every card's does. When it is found to drift, the sound is
/// stretched by what the clock is off and by what it takes to make good for the time before.
package struct AudioClockRecovery: Sendable {
    /// How far the stretch can go, in millionths.
    package static let limit = 3000.0
    /// How long it takes to make good for a difference, in seconds.
    private static let settling = 10.0

    private var tracker = ClockDriftEstimator()
    /// Where the first sample was put, in frames of the session, and the moment of its block.
    private var begun = (place: Int64(0), moment: Int64(0), drift: 0.0, correction: Int64(0))
    /// What the moments have been corrected by because the stamps' clock drifts, and how much
    /// faster that clock runs, in millionths.
    private var stamps = (correction: Int64(0), ppm: 0.0)
    /// What came since then, in frames of the session.
    private var frames = 0.0

    package init() {}

    /// Whether the source's clock is known to drift.
    package var hasDrifted: Bool { tracker.hasDrifted || stamps.ppm != 0 }

    /// How much faster the source's clock runs, in millionths; nil if it keeps time.
    package var driftPPM: Double? { hasDrifted ? tracker.driftPPM + stamps.ppm : nil }

    /// Begins anew: the next sample follows no other.
    ///
    /// - Parameters:
    ///   - place: Where it was put, in frames of the session.
    ///   - moment: When it sounded, on the session clock.
    package mutating func begin(at place: Int64, moment: Int64) {
        tracker.restart()
        begun = (place, moment, tracker.drift(at: moment), stamps.correction)
        frames = 0
    }

    /// Takes note of what the moments have been corrected by, before the next of them comes. The
    /// samples are compared with what the stamps said: a correction that sets in would look like
    /// another delay, and is known exactly.
    ///
    /// - Parameters:
    ///   - nanoseconds: The correction for a drift.
    ///   - ppm: How much faster the stamps' clock runs, in millionths.
    package mutating func correct(by nanoseconds: Int64, ppm: Double) {
        stamps = (nanoseconds, ppm)
    }

    /// Counts places from another one from now on.
    ///
    /// - Parameter frames: What a place is more than before.
    package mutating func move(by frames: Int64) { begun.place += frames }

    /// Somebody else sets the source's pace: the moments of its blocks say nothing of its clock.
    package mutating func pause() { tracker.restart() }

    /// Takes a block.
    ///
    /// - Returns: What has now been found: that the clock drifts, or that samples were lost or
    ///   came twice, which is a step.
    package mutating func observe(moment: Int64) -> ClockDriftEstimator.Event? {
        let elapsed = frames * 1e9 / Double(AudioFormat.session.sampleRate)
        let correction = stamps.correction - begun.correction
        let delay = Double(moment - correction - begun.moment) - elapsed
        return tracker.observe(delay: delay, at: moment)
    }

    /// Counts what was taken.
    package mutating func count(_ frames: Int, of format: AudioFormat) {
        self.frames +=
            Double(frames) * Double(AudioFormat.session.sampleRate) / Double(format.sampleRate)
    }

    /// How much more sound to make, in millionths.
    ///
    /// - Parameters:
    ///   - place: Where the next sample would be put.
    ///   - moment: Now, or about now.
    package func stretch(at place: Double, moment: Int64) -> Double {
        let rate = Double(AudioFormat.session.sampleRate)
        let correction = Double(stamps.correction - begun.correction)
        let drift = (tracker.drift(at: moment) - begun.drift + correction) * rate / 1e9
        let missing = Double(begun.place) + frames + drift - place
        let ppm = -tracker.driftPPM - stamps.ppm + missing / rate / Self.settling * 1e6
        return min(max(ppm, -Self.limit), Self.limit)
    }
}
