/// Finds who speaks, and stays with them: a cough or a short answer changes nothing.
///
/// It has no clock: times are passed in, in nanoseconds.
package struct ActiveSpeaker: Sendable {
    /// Quieter than this is silence, in dB of full scale.
    private static let silence = -45.0
    /// The difference in level that makes another person the speaker, in dB.
    private static let lead = 6.0
    /// The time that another has to be louder, or to speak while the speaker is silent.
    private static let patience: Int64 = 600_000_000
    /// The time for which a new speaker stays at least.
    private static let hold: Int64 = 2_000_000_000
    /// A level that is older is silence.
    private static let age: Int64 = 500_000_000
    /// The share of the last level that stays in the next one.
    private static let memory = 0.5

    private struct Level {
        var decibels: Double
        var time: Int64
    }

    private var levels: [StageSource: Level] = [:]
    /// The active speaker; nil before anybody has spoken.
    package private(set) var current: StageSource?
    private var since = Int64.min
    /// The next speaker, since when they are louder, and when they were last heard.
    private var candidate: (source: StageSource, since: Int64, heard: Int64)?

    package init() {}

    /// Takes the level of a block of audio.
    ///
    /// - Parameter decibels: The level in dB of full scale: 0 or less.
    package mutating func hear(_ source: StageSource, _ decibels: Double, at time: Int64) {
        let last = levels[source].map { time - $0.time > Self.age ? -100 : $0.decibels } ?? -100
        let smooth = decibels > last ? decibels : last * Self.memory + decibels * (1 - Self.memory)
        levels[source] = Level(decibels: smooth, time: time)
        decide(at: time)
    }

    /// Forgets a source that has left.
    package mutating func forget(_ source: StageSource) {
        levels[source] = nil
        if candidate?.source == source { candidate = nil }
        guard current == source else { return }
        current = nil
        since = .min
    }

    private func level(of source: StageSource?, at time: Int64) -> Double {
        guard let level = source.flatMap({ levels[$0] }), time - level.time <= Self.age else {
            return -100
        }
        return level.decibels
    }

    private mutating func decide(at time: Int64) {
        let loudest = levels.keys.max { first, second in
            level(of: first, at: time) < level(of: second, at: time)
        }
        guard let loudest, level(of: loudest, at: time) > Self.silence else {
            // A pause between two answers.
            if let heard = candidate?.heard, time - heard > Self.age { candidate = nil }
            return
        }
        guard loudest != current else {
            candidate = nil
            return
        }
        guard current != nil else {
            begin(loudest, at: time)
            return
        }
        let speaking = level(of: current, at: time)
        let isSilent = speaking <= Self.silence
        guard isSilent || level(of: loudest, at: time) >= speaking + Self.lead else {
            candidate = nil
            return
        }
        // While the speaker is silent, people who answer each other count as one.
        let isSame = isSilent || candidate?.source == loudest
        let start = isSame ? candidate?.since ?? time : time
        candidate = (loudest, start, time)
        guard time - start >= Self.patience, time - since >= Self.hold else { return }
        begin(loudest, at: time)
    }

    private mutating func begin(_ source: StageSource, at time: Int64) {
        current = source
        since = time
        candidate = nil
    }
}
