/// Decides when each frame or block of a source shows, on the session clock.
///
/// A stamp is believed when it is near the moment at which the frame came: up to five seconds
/// before it (a source that reads a slow device) and up to one after it (one that works ahead).
/// Such a delay is the source's own affair and stays. Stamps that come nearer or go away steadily
/// are those of a clock that drifts, and are corrected. Stamps that are not near at all are of
/// another clock: they are mapped to the session's by the least delay that was seen, so that the
/// jitter of arrival does not become one of the picture. The moments never go back.
///
/// A value without a clock of its own: the same stamps and arrivals give the same moments.
package struct TimestampNormalizer: Sendable {
    /// What was found wrong with stamps.
    package struct Counts: Equatable, Sendable {
        /// Without a stamp: the moment of arrival counts.
        package var missing = 0
        /// Stamped before the one before.
        package var backward = 0
        /// Not stamped in nanoseconds of the session clock.
        package var foreign = 0
        /// Times that the source's clock was set, or the source began to count anew.
        package var jumps = 0
    }

    /// What a stamp counts.
    private enum Clock {
        /// The session clock, in a unit.
        case session(StampUnit)
        /// Another clock, whose unit is being looked for.
        case unknown
        /// Another clock, in a unit.
        case foreign(StampUnit)
    }

    /// The farthest that a stamp on the session clock is behind its arrival.
    package static let oldest: Int64 = 5_000_000_000
    /// The farthest that a stamp on the session clock is ahead of its arrival.
    package static let farthest: Int64 = 1_000_000_000
    /// Stamps that are not in order by less than this are put in order without a word.
    private static let backwardTolerance: Int64 = 2_000_000
    /// A foreign clock that is off by more than this from one frame to the next was set.
    private static let jump: Int64 = 250_000_000
    /// A foreign clock that is off by more than this for some windows was set.
    private static let lastingJump = 50e6
    /// How long to watch stamps before their unit is judged.
    private static let judging: Int64 = 100_000_000
    /// How fast the correction may change, as a part of the time that passes.
    private static let slew = 0.005

    package init() {}

    package private(set) var counts = Counts()
    private var clock: Clock?
    /// A stamp and the moment that it stands for before any correction.
    private var anchor = (pts: Int64(0), moment: Int64(0))
    /// Frames that were seen while the unit is looked for.
    private var judged = 0
    private var tracker = ClockDriftEstimator()
    /// Nanoseconds to add to what stamps say.
    private var correction: Int64 = 0
    /// What of the correction was there before a drift was found: another clock's offset.
    private var offset: Int64 = 0
    /// Whether the source was started again, and may count anew.
    private var isRestarted = false
    private var lastPTS: Int64?
    private var lastArrival: Int64?
    private var lastMoment = Int64.min
    private var told = TimestampAnomaly.Kinds()

    /// How much faster the source's clock runs than the session's, in millionths; nil if it
    /// keeps time.
    package var driftPPM: Double? { tracker.hasDrifted ? tracker.driftPPM : nil }

    /// What stamps are corrected by because their clock drifts, in nanoseconds.
    package var driftCorrection: Int64 { tracker.hasDrifted ? correction - offset : 0 }

    /// Whether a stamp is near the moment of arrival.
    static func isCredible(_ pts: Int64, arrival: Int64) -> Bool {
        let (ahead, overflow) = pts.subtractingReportingOverflow(arrival)
        return !overflow && ahead >= -oldest && ahead <= farthest
    }

    /// Decides when a frame shows.
    ///
    /// - Parameters:
    ///   - pts: Its stamp, if it has one.
    ///   - arrival: When it came, on the session clock.
    /// - Returns: The moment on the session clock, never before the last one; and what is to
    ///   be told because it was found for the first time.
    package mutating func follow(
        _ pts: Int64?, arrival: Int64
    ) -> (moment: Int64, finding: TimestampAnomaly?) {
        let arrival = max(arrival, lastArrival ?? .min)
        var finding: TimestampAnomaly?
        var moment = arrival
        if let pts {
            let back = step(back: pts)
            if back > Self.backwardTolerance {
                counts.backward += 1
                tell(.backward(by: back), &finding)
            }
            moment = self.moment(of: pts, arrival, back: back, &finding)
            switch clock {
            case nil, .session(.nanoseconds): break
            case .unknown, .session, .foreign: counts.foreign += 1
            }
            lastPTS = pts
        } else {
            counts.missing += 1
            tell(.missing, &finding)
        }
        lastArrival = arrival
        lastMoment = max(moment, lastMoment)
        return (lastMoment, finding)
    }

    /// Says that the source was started again: its stamps may begin anew, or go on.
    package mutating func restart() {
        clock = nil
        isRestarted = true
        lastPTS = nil
    }

    /// How far a stamp lies before the last one, in nanoseconds.
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

    /// What a stamp says on the session clock, before the correction.
    private func position(of pts: Int64) -> Int128 {
        Int128(anchor.moment) + (Int128(pts) - Int128(anchor.pts)) * unit
    }

    private mutating func moment(
        of pts: Int64, _ arrival: Int64, back: Int64, _ finding: inout TimestampAnomaly?
    ) -> Int64 {
        switch clock {
        case nil:
            return begin(pts, arrival, &finding)
        case .session:
            // A clock that has drifted for hours may be off by seconds.
            let time = Int64(clamping: position(of: pts) + Int128(correction))
            guard Self.isCredible(time, arrival: arrival) else {
                counts.jumps += 1
                return begin(pts, arrival, &finding)
            }
        case .unknown:
            guard !Self.isCredible(pts, arrival: arrival) else {
                return begin(pts, arrival, &finding)
            }
            return judge(pts, arrival, &finding)
        case .foreign:
            let change = Int128(arrival) - position(of: pts) - Int128(correction)
            guard change >= -Self.jump, back <= Self.jump else {
                return leap(pts, arrival, by: Int64(clamping: change), &finding)
            }
        }
        return corrected(pts, arrival, &finding)
    }

    /// Looks at a stamp that follows no other.
    private mutating func begin(
        _ pts: Int64, _ arrival: Int64, _ finding: inout TimestampAnomaly?
    ) -> Int64 {
        tracker.restart()
        for unit in StampUnit.allCases {
            let (time, overflow) = pts.multipliedReportingOverflow(by: unit.nanoseconds)
            guard !overflow, Self.isCredible(time, arrival: arrival) else { continue }
            clock = .session(unit)
            anchor = (0, 0)
            // A clock that was set at the start is right now, and not by what it was off before.
            let delay = arrival - time
            if isRestarted, abs(delay) <= abs(delay - correction) {
                tracker.forgetDrift(at: arrival)
                (correction, offset) = (0, 0)
            }
            isRestarted = false
            if unit != .nanoseconds {
                tell(.foreign(.session, unit, pts: pts, arrival: arrival), &finding)
            }
            return corrected(pts, arrival, &finding)
        }
        clock = .unknown
        anchor = (pts, arrival)
        judged = 0
        return arrival
    }

    /// Looks for the unit in which the stamps keep up with the session clock.
    private mutating func judge(
        _ pts: Int64, _ arrival: Int64, _ finding: inout TimestampAnomaly?
    ) -> Int64 {
        judged += 1
        let elapsed = Double(arrival - anchor.moment)
        guard judged >= 3, elapsed >= Double(Self.judging) else { return arrival }
        let ticks = Double(Int128(pts) - Int128(anchor.pts))
        let fitting = StampUnit.allCases.first { unit in
            let ratio = ticks * Double(unit.nanoseconds) / elapsed
            return ratio > 0.33 && ratio < 3
        }
        guard let fitting else {
            // Perhaps it was an accident: it is looked at anew.
            tell(.foreign(.unknown, nil, pts: pts, arrival: arrival), &finding)
            (anchor, judged) = ((pts, arrival), 0)
            return arrival
        }
        let kind = fitting.isWallClock(pts) ? TimestampAnomaly.Clock.wall : .counter
        tell(.foreign(kind, fitting, pts: pts, arrival: arrival), &finding)
        clock = .foreign(fitting)
        // The first frame of those that were looked at may have been the least delayed.
        _ = tracker.observe(delay: 0, at: anchor.moment)
        return corrected(pts, arrival, &finding)
    }

    /// Begins to map the stamps anew: the source's clock was set.
    private mutating func leap(
        _ pts: Int64, _ arrival: Int64, by nanoseconds: Int64, _ finding: inout TimestampAnomaly?
    ) -> Int64 {
        counts.jumps += 1
        tell(.jumped(by: nanoseconds), &finding)
        guard !Self.isCredible(pts, arrival: arrival) else {
            return begin(pts, arrival, &finding)
        }
        tracker.restart()
        anchor = (pts, arrival)
        return corrected(pts, arrival, &finding)
    }

    private mutating func corrected(
        _ pts: Int64, _ arrival: Int64, _ finding: inout TimestampAnomaly?
    ) -> Int64 {
        let isForeign = if case .foreign = clock { true } else { false }
        let position = position(of: pts)
        let event = tracker.observe(delay: Double(Int128(arrival) - position), at: arrival)
        if isForeign, case .stepped(let change) = event, abs(change) > Self.lastingJump {
            return leap(pts, arrival, by: Int64(change), &finding)
        }
        if tracker.hasDrifted { tell(.drifting(ppm: tracker.driftPPM), &finding) }
        let wanted = isForeign ? tracker.envelope(at: arrival) : tracker.drift(at: arrival)
        // What is learnt first is right at once. Later on, no picture is to jump.
        let most =
            isForeign && tracker.isLearning
            ? .infinity : Self.slew * Double(arrival - (lastArrival ?? arrival))
        let change = min(max(wanted - Double(correction), -most), most)
        correction += Int64(change)
        if !tracker.hasDrifted { offset = correction }
        return Int64(clamping: position + Int128(correction))
    }

    /// Tells each thing once; of two at the same time, the second is told the next time.
    private mutating func tell(_ news: TimestampAnomaly, _ finding: inout TimestampAnomaly?) {
        guard finding == nil, told.insert(news.kind).inserted else { return }
        finding = news
    }
}
