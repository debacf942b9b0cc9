/// The delay of a guest's audio and video: as long as the guest's audio needs to reach the session's mix in time.
///
/// The delay grows at once when a packet is too late for it. It falls when no packet has needed it for a time, which
/// doubles with each growth, because each change moves the audio.
package struct ArrivalDelay: Sendable {
    /// The lateness of packets that a delay can allow for, in nanoseconds. The jitter buffer waits for a lost packet, and
    /// holds up the following packets, for the longest one.
    package static let allowances: ClosedRange<Int64> = 40_000_000...80_000_000
    private static let step: Int64 = 20_000_000
    /// The part of an allowance that packets leave unused before it falls, so that it does not grow again at once.
    private static let reserve: Int64 = 5_000_000
    /// The time without late packets before an allowance falls.
    private static let recoveryTimes: ClosedRange<Int64> = 4_000_000_000...64_000_000_000
    /// The time at which the session's mix needs audio, after the audio's time.
    private static let playout: Int64 = 100_000_000
    /// The time that audio may take from its packet's arrival to the mix.
    private static let processing: Int64 = 20_000_000

    /// The lateness up to which audio is in time. A video without audio has the longest, because lost packets are sent
    /// again.
    package private(set) var allowance = Self.allowances.upperBound
    /// The longest packet so far. A packet is sent when its last sample has been spoken, so its first sample is late by
    /// its length.
    private var length: Int64 = 0
    /// The longest lateness of a packet since a time; nil before the first packet.
    private var latest: (lateness: Int64, since: Int64)?
    private var recoveryTime = Self.recoveryTimes.lowerBound

    package init() {}

    /// The session's time at which a packet's audio ends and a frame is seen, after the time of the packets, in
    /// nanoseconds.
    package var nanoseconds: Int64 { allowance + length + Self.processing - Self.playout }

    /// Adds a packet of audio.
    ///
    /// - Parameters:
    ///   - length: The duration of its audio, in nanoseconds.
    ///   - lateness: The time from the packet's time to its arrival.
    ///   - now: The time on any clock.
    package mutating func add(length: Int64, lateness: Int64, at now: Int64) {
        self.length = max(self.length, length)
        let (longest, since) = latest ?? (0, now)
        latest = (max(longest, lateness), since)
        if lateness > allowance, allowance < Self.allowances.upperBound {
            allowance = Self.allowance(for: lateness)
            recoveryTime = min(2 * recoveryTime, Self.recoveryTimes.upperBound)
            latest = (0, now)
        } else if now.subtractingReportingOverflow(since).partialValue >= recoveryTime {
            let needed = min(max(longest, lateness), Self.allowances.upperBound) + Self.reserve
            allowance = min(allowance, Self.allowance(for: needed))
            latest = (0, now)
        }
    }

    /// The shortest allowance for a lateness.
    private static func allowance(for lateness: Int64) -> Int64 {
        let steps = (min(max(lateness, 0), allowances.upperBound) + step - 1) / step
        return max(steps * step, allowances.lowerBound)
    }
}
