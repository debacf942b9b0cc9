import Glibc

/// Decides who speaks, from the levels of blocks of audio.
///
/// A person speaks from the third consecutive loud block until 1 s after the last loud block. The
/// active speaker stays active until they are silent and another person speaks.
package struct SpeakerRule: Sendable {
    /// The RMS level of a loud block, in dBFS.
    package static let threshold = -45.0
    private static let onset = 3
    private static let hold = 1.0

    /// The number of consecutive loud blocks, by person.
    private var runs: [UInt32: Int] = [:]
    /// The time of the last loud block of each speaking person, in seconds.
    private var heard: [UInt32: Double] = [:]
    /// The speaking people, in the order in which they began.
    package private(set) var speaking: [UInt32] = []
    /// The person who speaks or spoke last; nil if nobody has spoken.
    package private(set) var active: UInt32?

    package init() {}

    /// The RMS level of samples, in dBFS; -infinity if silent.
    package static func level(of samples: Span<Int16>) -> Double {
        guard !samples.isEmpty else { return -.infinity }
        var sum: Int64 = 0
        for index in samples.indices {
            let sample = Int64(samples[index])
            sum &+= sample &* sample
        }
        return 10 * log10(Double(sum) / Double(samples.count) / (32_768 * 32_768))
    }

    /// Adds the level of a block of a person's audio.
    ///
    /// - Parameter seconds: The time, on any clock.
    /// - Returns: Whether ``speaking`` or ``active`` has changed.
    package mutating func add(_ level: Double, of person: UInt32, at seconds: Double) -> Bool {
        let isLoud = level >= Self.threshold
        let run = isLoud ? min(runs[person, default: 0] + 1, Self.onset) : 0
        runs[person] = run
        let begins =
            isLoud && (heard[person] != nil || run == Self.onset)
            && heard.updateValue(seconds, forKey: person) == nil
        if begins { speaking.append(person) }
        let ends = expire(at: seconds)
        return begins || ends
    }

    /// Ends the speech of people who are silent.
    ///
    /// - Returns: Whether ``speaking`` or ``active`` has changed.
    package mutating func expire(at seconds: Double) -> Bool {
        let ends = heard.contains { seconds - $0.value > Self.hold }
        if ends {
            heard = heard.filter { seconds - $0.value <= Self.hold }
            let heard = heard
            speaking.removeAll { heard[$0] == nil }
        }
        let before = active
        if active.map({ !speaking.contains($0) }) ?? true { active = speaking.first ?? active }
        return ends || active != before
    }

    /// Removes a person who has left.
    package mutating func remove(_ person: UInt32) {
        (runs[person], heard[person]) = (nil, nil)
        speaking.removeAll { $0 == person }
        if active == person { active = speaking.first }
    }
}
