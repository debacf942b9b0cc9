/// Maps the timestamps of a source's frames or blocks to the session clock.
///
/// A timestamp near the arrival time is valid: up to five seconds before it, for a source that
/// reads a slow device, and up to one second after it, for one that works ahead. Such a constant
/// delay is kept. If the delay changes steadily, the source's clock drifts, and timestamps are
/// corrected. Timestamps far from the arrival time are of another clock: the minimum delay maps
/// them to the session clock, so that jitter of arrival does not become jitter of the picture. The
/// result never decreases.
///
/// A pure value: equal timestamps and arrival times give equal results.
package struct TimestampNormalizer: Sendable {
    /// Counts of anomalies.
    package struct Counts: Equatable, Sendable {
        /// No timestamp: the arrival time is used.
        package var missing = 0
        /// Timestamp before the last one.
        package var backward = 0
        /// Not nanoseconds on the session clock.
        package var foreign = 0
        /// The source's clock was set or restarted.
        package var jumps = 0
    }

    /// The clock of timestamps.
    private enum Clock {
        /// The session clock, in a unit.
        case session(StampUnit)
        /// Another clock with a unit not known yet.
        case unknown
        /// Another clock, in a unit.
        case foreign(StampUnit)
    }

    /// The most time from a valid timestamp to its arrival, in nanoseconds.
    package static let maximumAge: Int64 = 5_000_000_000
    /// The most time from an arrival to its valid timestamp, in nanoseconds.
    package static let maximumLead: Int64 = 1_000_000_000
    /// Smaller steps backward are corrected without a report.
    private static let backwardTolerance: Int64 = 2_000_000
    /// A foreign clock that changes by more than this between two frames was set.
    private static let jump: Int64 = 250_000_000
    /// A foreign clock whose minimum delay changes by more than this was set.
    private static let jumpOfMinimum = 50e6
    /// The time of observation before the unit is determined, in nanoseconds.
    private static let unitSearchTime: Int64 = 100_000_000
    /// The largest rate of change of the correction, as a ratio.
    private static let slew = 0.005

    package init() {}

    package private(set) var counts = Counts()
    private var clock: Clock?
    /// A timestamp and its uncorrected time.
    private var anchor = (pts: Int64(0), moment: Int64(0))
    /// Frames observed since the anchor, to find the unit.
    private var observed = 0
    private var driftEstimator = ClockDriftEstimator()
    /// Nanoseconds to add to timestamps.
    private var correction: Int64 = 0
    /// The correction before a drift was known: another clock's offset.
    private var offset: Int64 = 0
    /// Whether the source was restarted, and may have reset its clock.
    private var isRestarted = false
    private var lastPTS: Int64?
    private var lastArrival: Int64?
    private var lastMoment = Int64.min
    private var reported = TimestampAnomaly.Kinds()

    /// The drift of the source's clock, in ppm: positive if faster than the session's clock; nil
    /// without drift.
    package var driftPPM: Double? { driftEstimator.hasDrifted ? driftEstimator.driftPPM : nil }

    /// The correction of drift, in nanoseconds.
    package var driftCorrection: Int64 { driftEstimator.hasDrifted ? correction - offset : 0 }

    /// Whether a timestamp is valid: near the arrival time.
    static func isCredible(_ pts: Int64, arrival: Int64) -> Bool {
        let (ahead, overflow) = pts.subtractingReportingOverflow(arrival)
        return !overflow && ahead >= -maximumAge && ahead <= maximumLead
    }

    /// Maps a timestamp to the session clock.
    ///
    /// - Parameters:
    ///   - pts: The timestamp; nil if none.
    ///   - arrival: The arrival time on the session clock.
    /// - Returns: The time on the session clock, which never decreases; and the anomaly to report,
    ///   once for each kind.
    package mutating func follow(
        _ pts: Int64?, arrival: Int64
    ) -> (moment: Int64, anomaly: TimestampAnomaly?) {
        let arrival = max(arrival, lastArrival ?? .min)
        var anomaly: TimestampAnomaly?
        var moment = arrival
        if let pts {
            let back = step(back: pts)
            if back > Self.backwardTolerance {
                counts.backward += 1
                report(.backward(by: back), &anomaly)
            }
            moment = self.moment(of: pts, arrival, back: back, &anomaly)
            switch clock {
            case nil, .session(.nanoseconds): break
            case .unknown, .session, .foreign: counts.foreign += 1
            }
            lastPTS = pts
        } else {
            counts.missing += 1
            report(.missing, &anomaly)
        }
        lastArrival = arrival
        lastMoment = max(moment, lastMoment)
        return (lastMoment, anomaly)
    }

    /// The source was restarted: its timestamps may restart or continue.
    package mutating func restart() {
        clock = nil
        isRestarted = true
        lastPTS = nil
    }

    /// The distance of a timestamp before the last one, in nanoseconds.
    private func step(back pts: Int64) -> Int64 {
        guard let lastPTS, pts < lastPTS else { return 0 }
        return Int64(clamping: (Int128(lastPTS) - Int128(pts)) * unit)
    }

    private var unit: Int128 {
        switch clock {
        case .session(let unit), .foreign(let unit): Int128(unit.nanoseconds)
        case nil, .unknown: 1
        }
    }

    /// The uncorrected time of a timestamp.
    private func position(of pts: Int64) -> Int128 {
        Int128(anchor.moment) + (Int128(pts) - Int128(anchor.pts)) * unit
    }

    private mutating func moment(
        of pts: Int64, _ arrival: Int64, back: Int64, _ anomaly: inout TimestampAnomaly?
    ) -> Int64 {
        switch clock {
        case nil:
            return begin(pts, arrival, &anomaly)
        case .session:
            // A clock that has drifted for hours may be seconds off.
            let time = Int64(clamping: position(of: pts) + Int128(correction))
            guard Self.isCredible(time, arrival: arrival) else {
                counts.jumps += 1
                return begin(pts, arrival, &anomaly)
            }
        case .unknown:
            guard !Self.isCredible(pts, arrival: arrival) else {
                return begin(pts, arrival, &anomaly)
            }
            return findUnit(pts, arrival, &anomaly)
        case .foreign:
            let change = Int128(arrival) - position(of: pts) - Int128(correction)
            guard change >= -Self.jump, back <= Self.jump else {
                return restartMapping(pts, arrival, by: Int64(clamping: change), &anomaly)
            }
        }
        return corrected(pts, arrival, &anomaly)
    }

    /// Handles the first timestamp of a clock.
    private mutating func begin(
        _ pts: Int64, _ arrival: Int64, _ anomaly: inout TimestampAnomaly?
    ) -> Int64 {
        driftEstimator.restart()
        for unit in StampUnit.allCases {
            let (time, overflow) = pts.multipliedReportingOverflow(by: unit.nanoseconds)
            guard !overflow, Self.isCredible(time, arrival: arrival) else { continue }
            clock = .session(unit)
            anchor = (0, 0)
            // The clock may have been set at the restart: then its old drift no longer applies.
            let delay = arrival - time
            if isRestarted, abs(delay) <= abs(delay - correction) {
                driftEstimator.forgetDrift(at: arrival)
                (correction, offset) = (0, 0)
            }
            isRestarted = false
            if unit != .nanoseconds {
                report(.foreign(.session, unit, pts: pts, arrival: arrival), &anomaly)
            }
            return corrected(pts, arrival, &anomaly)
        }
        clock = .unknown
        anchor = (pts, arrival)
        observed = 0
        return arrival
    }

    /// Finds the unit in which timestamps advance like the session clock.
    private mutating func findUnit(
        _ pts: Int64, _ arrival: Int64, _ anomaly: inout TimestampAnomaly?
    ) -> Int64 {
        observed += 1
        let elapsed = Double(arrival - anchor.moment)
        guard observed >= 3, elapsed >= Double(Self.unitSearchTime) else { return arrival }
        let ticks = Double(Int128(pts) - Int128(anchor.pts))
        let fitting = StampUnit.allCases.first { unit in
            let ratio = ticks * Double(unit.nanoseconds) / elapsed
            return ratio > 0.33 && ratio < 3
        }
        guard let fitting else {
            // Start again, because these timestamps may have been an exception.
            report(.foreign(.unknown, nil, pts: pts, arrival: arrival), &anomaly)
            (anchor, observed) = ((pts, arrival), 0)
            return arrival
        }
        let kind = fitting.isWallClock(pts) ? TimestampAnomaly.Clock.wall : .counter
        report(.foreign(kind, fitting, pts: pts, arrival: arrival), &anomaly)
        clock = .foreign(fitting)
        // The first of the observed frames may have the minimum delay.
        _ = driftEstimator.observe(delay: 0, at: anchor.moment)
        return corrected(pts, arrival, &anomaly)
    }

    /// Starts a new mapping because the source's clock was set.
    private mutating func restartMapping(
        _ pts: Int64, _ arrival: Int64, by nanoseconds: Int64, _ anomaly: inout TimestampAnomaly?
    ) -> Int64 {
        counts.jumps += 1
        report(.jumped(by: nanoseconds), &anomaly)
        guard !Self.isCredible(pts, arrival: arrival) else {
            return begin(pts, arrival, &anomaly)
        }
        driftEstimator.restart()
        anchor = (pts, arrival)
        return corrected(pts, arrival, &anomaly)
    }

    private mutating func corrected(
        _ pts: Int64, _ arrival: Int64, _ anomaly: inout TimestampAnomaly?
    ) -> Int64 {
        let isForeign = if case .foreign = clock { true } else { false }
        let position = position(of: pts)
        let delay = Int128(arrival) - position
        // Of 128 bits the conversion is generic, and takes a tenth of what a frame costs its track.
        let event = driftEstimator.observe(
            delay: Int64(exactly: delay).map { Double($0) } ?? Double(delay), at: arrival)
        if isForeign, case .stepped(let change) = event, abs(change) > Self.jumpOfMinimum {
            return restartMapping(pts, arrival, by: Int64(change), &anomaly)
        }
        if driftEstimator.hasDrifted { report(.drifting(ppm: driftEstimator.driftPPM), &anomaly) }
        let wanted =
            isForeign ? driftEstimator.envelope(at: arrival) : driftEstimator.drift(at: arrival)
        // The first estimates apply at once; later ones slowly, so that the picture does not jump.
        let limit =
            isForeign && driftEstimator.isLearning
            ? .infinity : Self.slew * Double(arrival - (lastArrival ?? arrival))
        let change = min(max(wanted - Double(correction), -limit), limit)
        correction += Int64(change)
        if !driftEstimator.hasDrifted { offset = correction }
        return Int64(clamping: position + Int128(correction))
    }

    /// Reports each kind once; of two at the same time, the second one the next time.
    private mutating func report(_ found: TimestampAnomaly, _ anomaly: inout TimestampAnomaly?) {
        guard anomaly == nil, reported.insert(found.kind).inserted else { return }
        anomaly = found
    }
}
