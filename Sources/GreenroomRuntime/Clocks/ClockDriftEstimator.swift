/// Finds out how a source's clock moves against the session's, from how late each thing came.
///
/// Delays only ever add: what a busy machine does to single frames makes them later, never
/// earlier. So the least delay of some seconds, the lower envelope, shows the clocks alone. An
/// envelope that stays is a constant delay, which is the source's own affair; one that jumps is
/// another constant delay from there on; one that moves steadily is a drift. Nothing counts
/// before two windows of time agree on it.
///
/// A value of plain numbers: it allocates nothing, and the same observations give the same
/// result. Times and delays are nanoseconds on the session clock.
package struct ClockDriftEstimator: Sendable {
    /// What a window of observations has shown.
    package enum Event: Equatable, Sendable {
        /// The source's clock drifts; told once.
        case drifts
        /// The delay has become another one, by so much.
        case stepped(Double)
    }

    /// The fastest that a clock may drift, as a part: what is faster is no crystal.
    package static let fastest = 0.003
    /// How far the envelope has to move before a move counts.
    private static let threshold = 4e6
    /// A window is as long as this at last; the first ones are shorter.
    private static let longestWindow: Int64 = 5_000_000_000
    /// The first windows' length.
    private static let firstWindow: Int64 = 800_000_000
    /// The fewest observations whose least delay says something.
    private static let fewestObservations = 24
    /// How many windows a known drift is the mean of: two minutes of them.
    private static let memory = 24.0

    package init() {}

    /// Whether a drift has been found.
    package private(set) var hasDrifted = false
    /// How much faster the source's clock runs than the session's, in millionths.
    package var driftPPM: Double { -rate * 1e6 }

    /// The window that is open: where it began, what it has seen.
    private var begun: Int64?
    private var observations = 0
    private var lowest = (moment: Int64(0), delay: Double.infinity)
    /// Windows that were closed since the start or the restart.
    private var windows = 0.0

    /// The delay that counts as none.
    private var reference = 0.0
    /// Whether there is no window yet to compare with.
    private(set) var isLearning = true
    /// The line that a drifting envelope follows: a delay at a moment, and its growth.
    private var level = 0.0
    private var moment: Int64 = 0
    private var rate = 0.0
    private var weight = 0.0

    /// The least delays of the last two windows, and how much such ones differ without a cause.
    private var last = (moment: Int64(0), delay: 0.0)
    private var beforeLast = 0.0
    private var roughness = 0.0
    /// When the envelope was last a quarter, and a half, of the threshold away at most.
    private var leftQuarter: Int64 = 0
    private var leftHalf: Int64 = 0
    /// Steps in windows that follow each other: three of them are a fast drift.
    private var steps = (count: 0, from: Int64(0), sum: 0.0)

    /// The least delay at a moment, as far as it is known.
    func envelope(at moment: Int64) -> Double {
        hasDrifted ? reference + drift(at: moment) : reference
    }

    /// How far the source's clock has moved at a moment since it was first observed: positive
    /// when it is behind. Zero until a drift is found.
    package func drift(at moment: Int64) -> Double {
        guard hasDrifted else { return 0 }
        return level - reference + rate * Double(moment - self.moment)
    }

    /// Takes the delay of one frame or block.
    ///
    /// - Parameters:
    ///   - delay: Its moment on the session clock, less what the source's clock makes of it.
    ///   - moment: That moment; never before the last one.
    package mutating func observe(delay: Double, at moment: Int64) -> Event? {
        var event: Event?
        if let begun, observations >= Self.fewestObservations, moment - begun >= windowLength {
            event = close()
            self.begun = moment
            observations = 0
            lowest = (moment, delay)
        }
        begun = begun ?? moment
        observations += 1
        if delay < lowest.delay { lowest = (moment, delay) }
        // Until a window has closed, the least delay that was seen is the best guess.
        if isLearning {
            let change = delay - envelope(at: moment)
            if observations == 1 || change < 0 { shift(by: change) }
        }
        return event
    }

    /// Forgets what is constant, and keeps what was learnt of the drift: the source has begun
    /// anew, or somebody else has paced it for a while.
    package mutating func restart() {
        begun = nil
        observations = 0
        lowest = (0, .infinity)
        windows = 0
        isLearning = true
        roughness = 0
        steps = (0, 0, 0)
    }

    /// Takes what the clock has drifted until now for the constant delay: it was set.
    mutating func forgetDrift(at moment: Int64) {
        level = reference
        self.moment = moment
    }

    /// Takes another delay for the constant one; the drift stays what it is.
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
        // A ramp has no second difference; what is left of it is noise.
        if windows > 2 {
            let bend = abs(delay - 2 * last.delay + beforeLast) / 2.5
            roughness += (min(bend, Self.threshold) - roughness) / min(windows, 12)
        }
        let deviation = delay - envelope(at: moment)
        let agreed = Self.agreement(deviation, last.delay - envelope(at: last.moment))
        if hasDrifted { return follow(deviation, agreed, at: moment) }
        return judge(agreed, of: deviation, at: moment)
    }

    /// What two windows agree on: the smaller one, if both are on the same side.
    private static func agreement(_ one: Double, _ other: Double) -> Double {
        guard (one < 0) == (other < 0) else { return 0 }
        return abs(one) < abs(other) ? one : other
    }

    /// Looks whether the envelope moves, while no drift is known.
    private mutating func judge(
        _ agreed: Double, of deviation: Double, at moment: Int64
    ) -> Event? {
        let threshold = max(Self.threshold, 4 * roughness)
        let distance = abs(agreed)
        guard distance >= threshold else {
            if distance < threshold / 4 { leftQuarter = moment }
            if distance < threshold / 2 { leftHalf = moment }
            if distance < threshold / 4 { steps = (0, 0, 0) }
            return nil
        }
        // A steady move takes its time for the first part of the way, and for the second.
        let first = Double(leftHalf - leftQuarter)
        let second = Double(moment - leftHalf)
        if first > 0, second <= 12 * first {
            return begin(growth: agreed / Double(moment - leftQuarter), deviation, at: moment)
        }
        if steps.count == 0 || (steps.sum < 0) != (agreed < 0) {
            steps = (0, leftQuarter, 0)
        }
        steps.count += 1
        steps.sum += agreed
        if steps.count == 3 {
            let growth = steps.sum / Double(max(moment - steps.from, 1))
            if abs(growth) <= Self.fastest {
                reference -= steps.sum - agreed
                return begin(growth: growth, deviation + steps.sum - agreed, at: moment)
            }
            steps.count = 2
        }
        shift(by: agreed)
        (leftQuarter, leftHalf) = (moment, moment)
        return .stepped(agreed)
    }

    private mutating func begin(
        growth: Double, _ deviation: Double, at moment: Int64
    ) -> Event {
        hasDrifted = true
        rate = min(max(growth, -Self.fastest), Self.fastest)
        (level, self.moment) = (reference + deviation, moment)
        weight = 4
        steps = (0, 0, 0)
        return .drifts
    }

    /// Follows a known drift: a line through the last windows, each counting as much as the
    /// others until there are as many as it remembers.
    private mutating func follow(
        _ deviation: Double, _ agreed: Double, at moment: Int64
    ) -> Event? {
        let elapsed = Double(moment - self.moment)
        level += rate * elapsed
        self.moment = moment
        let threshold = max(Self.threshold, 4 * roughness)
        let change = abs(deviation) <= threshold ? deviation : agreed
        guard abs(change) <= threshold else {
            shift(by: change)
            return .stepped(change)
        }
        weight = min(weight + 1, Self.memory)
        level += change * 2 * (2 * weight - 1) / (weight * (weight + 1))
        rate += change / max(elapsed, 1) * 6 / (weight * (weight + 1))
        rate = min(max(rate, -Self.fastest), Self.fastest)
        return nil
    }
}
