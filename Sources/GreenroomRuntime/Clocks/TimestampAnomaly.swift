/// A problem with a source's timestamps.
package enum TimestampAnomaly: Equatable, Sendable {
    /// The clock of a foreign timestamp.
    package enum Clock: Equatable, Sendable {
        /// The session clock, in another unit.
        case session
        /// Time of day, since 1970.
        case wall
        /// Time since a start that the source chose.
        case counter
        /// No clock at the rate of the session clock.
        case unknown
    }

    /// Frames or blocks have no timestamp.
    case missing
    /// A timestamp is before the last one, by nanoseconds.
    case backward(by: Int64)
    /// Timestamps are not nanoseconds on the session clock.
    case foreign(Clock, StampUnit?, pts: Int64, arrival: Int64)
    /// The clock of the timestamps runs faster than the session's, in ppm.
    case drifting(ppm: Double)
    /// The clock of the timestamps was set, by nanoseconds.
    case jumped(by: Int64)

    /// A set of reported anomalies.
    package struct Kinds: OptionSet, Sendable {
        package var rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    package var kind: Kinds {
        switch self {
        case .missing: Kinds(rawValue: 1)
        case .backward: Kinds(rawValue: 2)
        case .foreign: Kinds(rawValue: 4)
        case .drifting: Kinds(rawValue: 8)
        case .jumped: Kinds(rawValue: 16)
        }
    }

    /// The problem, its effect and the fix.
    ///
    /// - Parameter things: The objects with the timestamps: `frames` or `blocks`.
    package func text(of things: String) -> String {
        switch self {
        case .missing:
            "\(things) have no timestamp, so they are shown at their time of arrival, with the jitter of "
                + "sending. Stamp with now_ns."
        case .backward(let nanoseconds):
            "timestamps go backward (by \(milliseconds(nanoseconds))); such \(things) are shown no "
                + "earlier than those before them. Send in order, and stamp with now_ns."
        case .foreign(let clock, let unit, let pts, let arrival):
            "timestamps are not on the session clock: \(clock.text(unit)) (one is \(pts), while "
                + "now_ns is \(arrival)). \(clock.remedy(things)) Stamp with now_ns."
        case .drifting(let ppm):
            "the clock of the timestamps runs about \(millionths(ppm)) than the session's; it is "
                + "corrected. Stamp with now_ns."
        case .jumped(let nanoseconds):
            "the clock of the timestamps was set or restarted (by \(milliseconds(nanoseconds))); "
                + "the next \(things) are shown at their time of arrival. Stamp with now_ns."
        }
    }
}

extension TimestampAnomaly.Clock {
    fileprivate func text(_ unit: StampUnit?) -> String {
        let unit = unit?.name ?? "something"
        return switch self {
        case .session: "the unit is \(unit) instead of nanoseconds"
        case .wall: "the wall clock's time in \(unit)"
        case .counter: "\(unit) from another start"
        case .unknown: "no known unit fits their rate"
        }
    }

    fileprivate func remedy(_ things: String) -> String {
        switch self {
        case .session, .wall, .counter: "The host maps them."
        case .unknown: "The \(things) are shown at their time of arrival."
        }
    }
}

/// The unit of a timestamp.
package enum StampUnit: CaseIterable, Sendable {
    case nanoseconds
    case microseconds
    case milliseconds
    /// 100 nanoseconds: ticks of .NET and Windows files.
    case ticks

    package var nanoseconds: Int64 {
        switch self {
        case .nanoseconds: 1
        case .microseconds: 1_000
        case .milliseconds: 1_000_000
        case .ticks: 100
        }
    }

    package var name: String {
        switch self {
        case .nanoseconds: "nanoseconds"
        case .microseconds: "microseconds"
        case .milliseconds: "milliseconds"
        case .ticks: "ticks of 100 ns"
        }
    }

    /// Whether a timestamp is a date of this century since 1970, or in ticks since the year 1 or
    /// 1601.
    func isWallClock(_ pts: Int64) -> Bool {
        let century = Int128(3_155_760_000_000_000_000)
        let since2000 = Int128(pts) * Int128(nanoseconds) - Int128(946_684_800_000_000_000)
        if (0..<century).contains(since2000) { return true }
        guard self == .ticks else { return false }
        let from1601 = since2000 - Int128(11_644_473_600_000_000_000)
        let from1 = since2000 - Int128(62_135_596_800) * 1_000_000_000
        return (0..<century).contains(from1601) || (0..<century).contains(from1)
    }
}

/// A duration as text.
private func milliseconds(_ nanoseconds: Int64) -> String {
    "\(nanoseconds.magnitude / 1_000_000) ms"
}

/// A drift as text.
package func millionths(_ ppm: Double) -> String {
    let rounded = Int(min(max(ppm, -1e9), 1e9).rounded())
    return "\(abs(rounded)) ppm \(rounded < 0 ? "slower" : "faster")"
}
