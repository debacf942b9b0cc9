/// Decides when the packets of a live stream are due: a constant delay after they were sent. Times are nanoseconds.
///
/// The first packet of the stream sets the delay. A packet that comes after it was due stops the stream until the
/// delay is restored; a sender whose clock is fast fills the buffer, until a part of it is skipped.
package struct PacketSchedule: Equatable {
    /// The delay of a packet that arrives on time.
    package static let delay: Int64 = 300_000_000
    /// The lateness, in nanoseconds, that a packet may have before the stream stops for it.
    package static let tolerance: Int64 = 20_000_000
    /// The longest wait beyond the delay. A server may send the last seconds in one burst.
    package static let limit: Int64 = 1_000_000_000

    /// A position of the stream and the time when it is due.
    private var anchor: (position: Int64, time: Int64)?

    package init() {}

    /// The effect of a packet's arrival.
    package enum Change: Equatable {
        case begun
        /// The stream stops for this long.
        case late(Int64)
        /// This much is skipped.
        case skipped(Int64)
    }

    package static func == (one: PacketSchedule, other: PacketSchedule) -> Bool {
        one.anchor?.position == other.anchor?.position && one.anchor?.time == other.anchor?.time
    }

    /// The position that is due at a time; nil before the first packet.
    package func position(at time: Int64) -> Int64? {
        anchor.map { $0.position.addingClamped(time.subtractingClamped($0.time)) }
    }

    /// A packet has arrived.
    ///
    /// - Parameter limited: Whether more than ``limit`` may not wait, as of a sender in real time.
    package mutating func arrived(_ position: Int64, at time: Int64, limited: Bool = true)
        -> Change?
    {
        guard let due = self.position(at: time) else {
            anchor = (position, time.addingClamped(Self.delay))
            return .begun
        }
        let late = due.subtractingClamped(position)
        if late > Self.tolerance {
            anchor = (position, time.addingClamped(Self.delay))
            return .late(late.addingClamped(Self.delay))
        }
        let early = position.subtractingClamped(due)
        if limited, early > Self.limit + Self.delay {
            anchor = (position, time.addingClamped(Self.delay))
            return .skipped(early - Self.delay)
        }
        return nil
    }

    /// The stream begins again.
    package mutating func reset() { anchor = nil }
}

/// The time to wait before connecting again: 0.5 s, and twice as long each time, up to 8 s.
package struct StreamBackoff: Equatable {
    private var delay: Int64 = 500_000_000

    package init() {}

    package mutating func next() -> Int64 {
        defer { delay = min(delay * 2, 8_000_000_000) }
        return delay
    }

    package mutating func reset() { self = StreamBackoff() }
}

extension Int64 {
    package func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
