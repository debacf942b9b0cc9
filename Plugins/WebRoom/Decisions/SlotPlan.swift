package import GreenroomMedia

/// Chooses the rendition of each of a viewer's slots, so that the viewer's network carries all of
/// them. The plan is independent of other viewers.
///
/// All videos begin with the low rendition, the largest first. Videos for which the network has no
/// room pause. The remaining capacity raises videos to half renditions, and then to full renditions
/// if they are shown larger than half. A video rises by one rendition at a time.
package struct SlotPlan: Sendable {
    /// A layer of a video that the room forwards.
    package struct SentLayer: Equatable, Sendable {
        package var bitsPerSecond: Int
        package var lines: Int

        package init(bitsPerSecond: Int, lines: Int) {
            (self.bitsPerSecond, self.lines) = (bitsPerSecond, lines)
        }
    }

    /// A video that a viewer wants.
    package struct Wish: Equatable, Sendable {
        package var slot: Int
        /// The number of lines in which the page shows the video.
        package var lines: Int
        /// The size and rate of the track.
        package var whole: VideoCapability

        /// The renditions that the room forwards. The room encodes the others.
        package var sent: [Rendition: SentLayer]
        /// The renditions that the slot may have.
        package var allowed: ClosedRange<Rendition>

        package init(
            slot: Int, lines: Int, whole: VideoCapability, sent: [Rendition: SentLayer] = [:],
            allowed: ClosedRange<Rendition> = .low ... .full
        ) {
            self.slot = slot
            self.lines = lines
            self.whole = whole
            self.sent = sent
            self.allowed = allowed
        }

        /// The rendition on a network without limits: the smallest forwarded rendition that fits. Without forwarded
        /// renditions, full if the page shows the video clearly larger than the half rendition.
        package var best: Rendition {
            let isLarge = lines * 10 > Rendition.half.size(of: whole.size).height * 12
            let best = sent.fitting(lines: lines) ?? (isLarge ? .full : .half)
            return min(max(best, allowed.lowerBound), allowed.upperBound)
        }

        /// Whether the slot may have a rendition.
        fileprivate func mayHave(_ level: Rendition) -> Bool {
            allowed.lowerBound <= level && level <= best
        }

        fileprivate func bits(_ rendition: Rendition) -> Double {
            Double(sent[rendition]?.bitsPerSecond ?? rendition.bitsPerSecond(of: whole))
        }
    }

    /// The share of a slot.
    package struct Share: Equatable, Sendable {
        /// The rendition; nil if the network cannot carry the video.
        package var rendition: Rendition?
        /// Whether the network lowers the rendition below the best one.
        package var isLowered: Bool
    }

    /// The wait before a rendition that exceeded the network's capacity is used again.
    private struct Hold {
        /// The length of the wait, in seconds. Each further failure doubles it.
        var seconds = Self.shortest
        var until = -Double.infinity
        var lastRaise = -Double.infinity

        private static let shortest = 5.0
        private static let longest = 80.0
        /// The time after which a carried rate counts as sustainable, in seconds.
        private static let proof = 15.0

        mutating func follow(isLower: Bool, isHigher: Bool, at now: Double) {
            if isLower {
                // Double the wait if the last raise failed soon.
                seconds =
                    now - lastRaise < Self.proof ? min(seconds * 2, Self.longest) : Self.shortest
                until = now + seconds
            } else if isHigher {
                lastRaise = now
            } else if now - lastRaise > Self.proof {
                seconds = Self.shortest
            }
        }
    }

    /// Required headroom above a rendition's bit rate before the room sends it.
    private static let margin = 1.2

    /// The latest renditions by slot.
    private var given: [Int: Rendition] = [:]
    private var holds: [Rendition: Hold] = [:]

    package init() {}

    /// Makes the plan.
    ///
    /// - Parameters:
    ///   - wishes: The wanted videos, at most one per slot.
    ///   - budget: The network's capacity for video, in bits per second; nil if unknown, which
    ///     allows everything.
    ///   - now: The time in seconds, on any clock.
    /// - Returns: The share of each slot, by number.
    package mutating func shares(
        of wishes: [Wish], within budget: Double?, at now: Double
    ) -> [Int: Share] {
        var next: [Int: Rendition] = [:]
        if let budget {
            next = renditions(of: wishes, within: budget, at: now)
        } else {
            for wish in wishes { next[wish.slot] = wish.best }
        }
        for level in Rendition.allCases {
            let had = { [given] (wish: Wish) in given[wish.slot].map { $0 >= level } ?? false }
            let has = { (wish: Wish) in next[wish.slot].map { $0 >= level } ?? false }
            let concerned = wishes.filter { $0.mayHave(level) }
            holds[level, default: Hold()].follow(
                isLower: concerned.contains { had($0) && !has($0) },
                isHigher: concerned.contains { has($0) && !had($0) }, at: now)
        }
        given = next
        var shares: [Int: Share] = [:]
        for wish in wishes {
            let rendition = next[wish.slot]
            shares[wish.slot] = Share(
                rendition: rendition, isLowered: rendition.map { $0 < wish.best } ?? true)
        }
        return shares
    }

    private func renditions(
        of wishes: [Wish], within budget: Double, at now: Double
    ) -> [Int: Rendition] {
        let ordered = wishes.sorted { ($0.lines, -$0.slot) > ($1.lines, -$1.slot) }
        var rest = budget
        var next: [Int: Rendition] = [:]
        for (level, lower) in [(Rendition.low, nil), (.half, .low), (.full, Rendition.half)] {
            for wish in ordered where wish.mayHave(level) {
                let below = level == wish.allowed.lowerBound ? nil : lower
                guard next[wish.slot] == below else { continue }
                let more = wish.bits(level) - (below.map(wish.bits) ?? 0)
                let last = given[wish.slot]
                let had = last.map { $0 >= level } ?? false
                // A raised rendition needs headroom, so that it does not exceed the capacity
                // immediately.
                let needed = had ? more : more + wish.bits(level) * (Self.margin - 1)
                let mayRise = now >= holds[level]?.until ?? now && (last == nil || last == below)
                // The largest video never pauses.
                let isLeast = level == .low && next.isEmpty
                guard isLeast || needed <= rest && (had || mayRise) else { continue }
                rest -= more
                next[wish.slot] = level
            }
        }
        return next
    }
}
