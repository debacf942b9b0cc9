/// Estimates how a source's clock drifts against the session's, from the delays of its frames or
/// blocks.
///
/// A busy machine makes frames later, never earlier. So the minimum delay over some seconds, the
/// lower envelope, depends on the clocks alone. A constant envelope is the source's own constant
/// delay; one that jumps is a new constant delay; one that moves steadily is drift. A change counts
/// once two windows agree on it.
///
/// A pure value: it allocates nothing, and equal observations give equal results. Times and delays
/// are nanoseconds on the session clock.
package struct ClockDriftEstimator: Sendable {
    /// The result of a window of observations.
    package enum Event: Equatable, Sendable {
        /// The source's clock drifts. Returned once, with the nanoseconds of the earlier steps that
        /// the drift caused.
        case drifts(steps: Double)
        /// The constant delay changed, by nanoseconds.
        case stepped(Double)
    }

    /// The largest drift, as a ratio. No crystal drifts more.
    package static let maximumDrift = 0.003
    /// The movement of the envelope that counts, in nanoseconds.
    private static let threshold = 4e6
    /// The final length of windows, in nanoseconds; the first ones are shorter.
    private static let longestWindow: Int64 = 5_000_000_000
    /// The length of the first windows, in nanoseconds.
    private static let firstWindow: Int64 = 800_000_000
    /// The least number of observations in a window.
    private static let minimumObservations = 24
    /// The number of windows over which a known drift is averaged: two minutes.
    private static let memory = 24.0

    package init() {}

    /// Whether a drift is known.
    package private(set) var hasDrifted = false
    /// The drift of the source's clock, in ppm: positive if faster than the session's clock.
    package var driftPPM: Double { -rate * 1e6 }

    /// The open window: its start and observations.
    private var windowStart: Int64?
    private var observations = 0
    private var lowest = (moment: Int64(0), delay: Double.infinity)
    /// Windows closed since the start or the restart.
    private var windows = 0.0

    /// The constant delay.
    private var reference = 0.0
    /// Whether no window has closed since the start or the restart.
    package private(set) var isLearning = true
    /// The line of a drifting envelope: delay at a time, and slope.
    private var level = 0.0
    private var moment: Int64 = 0
    private var rate = 0.0
    private var weight = 0.0

    /// The minimum delays of the last two windows, and their noise.
    private var last = (moment: Int64(0), delay: 0.0)
    private var beforeLast = 0.0
    private var noise = 0.0
    /// The times at which the envelope was last within a quarter, and within half, of the
    /// threshold.
    private var leftQuarter: Int64 = 0
    private var leftHalf: Int64 = 0
    /// Steps in consecutive windows: three of them are a fast drift.
    private var steps = (count: 0, from: Int64(0), sum: 0.0)

    /// The estimated minimum delay at a time.
    package func envelope(at moment: Int64) -> Double {
        hasDrifted ? reference + drift(at: moment) : reference
    }

    /// The drift of the source's clock at a time since the first observation: positive when it is
    /// behind. Zero until a drift is known.
    package func drift(at moment: Int64) -> Double {
        guard hasDrifted else { return 0 }
        return level - reference + rate * Double(moment - self.moment)
    }

    /// Adds the delay of one frame or block.
    ///
    /// - Parameters:
    /// - delay: The time on the session clock minus the time on the source's clock.
    /// - moment: The time on the session clock; never decreases.
    package mutating func observe(delay: Double, at moment: Int64) -> Event? {
        var event: Event?
        if let windowStart, observations >= Self.minimumObservations,
            moment - windowStart >= windowLength
        {
            event = close()
            self.windowStart = moment
            observations = 0
            lowest = (moment, delay)
        }
        windowStart = windowStart ?? moment
        observations += 1
        if delay < lowest.delay { lowest = (moment, delay) }
        // Until a window closes, the minimum delay so far is the best estimate.
        if isLearning {
            let change = delay - envelope(at: moment)
            if observations == 1 || change < 0 { shift(by: change) }
        }
        return event
    }

    /// Removes the constant delay and keeps the drift, because the source restarted, or waited for
    /// the host for a while.
    package mutating func restart() {
        windowStart = nil
        observations = 0
        lowest = (0, .infinity)
        windows = 0
        isLearning = true
        noise = 0
        steps = (0, 0, 0)
    }

    /// Adds the drift so far to the constant delay, because the clock was set.
    mutating func forgetDrift(at moment: Int64) {
        level = reference
        self.moment = moment
    }

    /// Changes the constant delay and keeps the drift.
    private mutating func shift(by delay: Double) {
        reference += delay
        level += delay
    }

    private var windowLength: Int64 {
        min(Self.firstWindow * Int64(max(windows - 6, 1)), Self.longestWindow)
    }

    private mutating func close() -> Event? {
        windows += 1
        let (moment, delay) = lowest
        defer { (beforeLast, last) = (last.delay, lowest) }
        guard !isLearning else {
            isLearning = false
            shift(by: delay - envelope(at: moment))
            (leftQuarter, leftHalf) = (moment, moment)
            return nil
        }
        // A ramp has no second difference, so the rest is noise.
        if windows > 2 {
            let bend = abs(delay - 2 * last.delay + beforeLast) / 2.5
            noise += (min(bend, Self.threshold) - noise) / min(windows, 12)
        }
        let deviation = delay - envelope(at: moment)
        let agreed = Self.agreement(deviation, last.delay - envelope(at: last.moment))
        if hasDrifted { return follow(deviation, agreed, at: moment) }
        return detect(agreed, of: deviation, at: moment)
    }

    /// The smaller of two deviations with the same sign; 0 for different signs.
    private static func agreement(_ one: Double, _ other: Double) -> Double {
        guard (one < 0) == (other < 0) else { return 0 }
        return abs(one) < abs(other) ? one : other
    }

    /// Checks whether the envelope moves, while no drift is known.
    private mutating func detect(
        _ agreed: Double, of deviation: Double, at moment: Int64
    ) -> Event? {
        let threshold = max(Self.threshold, 4 * noise)
        let distance = abs(agreed)
        guard distance >= threshold else {
            if distance < threshold / 4 { leftQuarter = moment }
            if distance < threshold / 2 { leftHalf = moment }
            if distance < threshold / 4 { steps = (0, 0, 0) }
            return nil
        }
        // A steady movement takes similar times for the first and the second part.
        let first = Double(leftHalf - leftQuarter)
        let second = Double(moment - leftHalf)
        if first > 0, second <= 12 * first {
            return begin(
                growth: agreed / Double(moment - leftQuarter), deviation, steps: 0, at: moment)
        }
        if steps.count == 0 || (steps.sum < 0) != (agreed < 0) {
            steps = (0, leftQuarter, 0)
        }
        steps.count += 1
        steps.sum += agreed
        if steps.count == 3 {
            let growth = steps.sum / Double(max(moment - steps.from, 1))
            if abs(growth) <= Self.maximumDrift {
                let before = steps.sum - agreed
                reference -= before
                return begin(growth: growth, deviation + before, steps: before, at: moment)
            }
            steps.count = 2
        }
        shift(by: agreed)
        (leftQuarter, leftHalf) = (moment, moment)
        return .stepped(agreed)
    }

    private mutating func begin(
        growth: Double, _ deviation: Double, steps before: Double, at moment: Int64
    ) -> Event {
        hasDrifted = true
        rate = min(max(growth, -Self.maximumDrift), Self.maximumDrift)
        (level, self.moment) = (reference + deviation, moment)
        weight = 4
        steps = (0, 0, 0)
        return .drifts(steps: before)
    }

    /// Updates a known drift: fits a line through the last windows, equally weighted, up to the
    /// number in ``memory``.
    private mutating func follow(
        _ deviation: Double, _ agreed: Double, at moment: Int64
    ) -> Event? {
        let elapsed = Double(moment - self.moment)
        level += rate * elapsed
        self.moment = moment
        let threshold = max(Self.threshold, 4 * noise)
        let change = abs(deviation) <= threshold ? deviation : agreed
        guard abs(change) <= threshold else {
            shift(by: change)
            return .stepped(change)
        }
        weight = min(weight + 1, Self.memory)
        level += change * 2 * (2 * weight - 1) / (weight * (weight + 1))
        rate += change / max(elapsed, 1) * 6 / (weight * (weight + 1))
        rate = min(max(rate, -Self.maximumDrift), Self.maximumDrift)
        return nil
    }
}
