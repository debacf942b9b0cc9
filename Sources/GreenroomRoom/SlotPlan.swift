package import GreenroomMedia

/// Chooses the rendition of each of a viewer's slots, so that the viewer's network carries all of
/// them. Other viewers do not matter.
///
/// All videos begin with the low rendition, the largest first; those for which that is too much pause. What
/// is left makes half renditions, and then full ones, as far as they are shown larger than half. A video
/// rises by one rendition at a time.
package struct SlotPlan: Sendable {
    /// A video that a viewer wants.
    package struct Wish: Equatable, Sendable {
        package var slot: Int
        /// The lines in which it is shown.
        package var lines: Int
        /// The size and rate of the track.
        package var whole: VideoCapability

        package init(slot: Int, lines: Int, whole: VideoCapability) {
            self.slot = slot
            self.lines = lines
            self.whole = whole
        }

        /// The rendition on a network without limits: full if the page shows the video clearly
        /// larger than the half rendition.
        package var best: Rendition {
            lines * 10 > Rendition.half.size(of: whole.size).height * 12 ? .full : .half
        }

        fileprivate func bits(_ rendition: Rendition) -> Double {
            Double(rendition.bitsPerSecond(of: whole))
        }
    }

    /// The share of a slot.
    package struct Share: Equatable, Sendable {
        /// Nil: nothing, the network carries no more.
        package var rendition: Rendition?
        /// Whether it is less than is shown because of the network.
        package var isLowered: Bool
    }

    /// When a rendition that was too much is given again.
    private struct Hold {
        /// How long it waits, in seconds; twice as long each time.
        var seconds = Self.shortest
        var until = -Double.infinity
        var lastRaise = -Double.infinity

        private static let shortest = 5.0
        private static let longest = 80.0
        /// The time after which a carried rate counts as sustainable, in seconds.
        private static let proof = 15.0

        mutating func follow(isLower: Bool, isHigher: Bool, at now: Double) {
            if isLower {
                // Longer if the last one was too much soon.
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
    ///   - wishes: At most one for each slot.
    ///   - budget: What the network carries of video, in bits a second; nil: unknown, everything.
    ///   - now: On any clock, in seconds.
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
            holds[level, default: Hold()].follow(
                isLower: wishes.contains { $0.best >= level && had($0) && !has($0) },
                isHigher: wishes.contains { has($0) && !had($0) }, at: now)
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
        for (level, below) in [(Rendition.low, nil), (.half, .low), (.full, Rendition.half)] {
            for wish in ordered where wish.best >= level && next[wish.slot] == below {
                let more = wish.bits(level) - (below.map(wish.bits) ?? 0)
                let last = given[wish.slot]
                let had = last.map { $0 >= level } ?? false
                // A new one needs some room, so that it is not too much at once.
                let needed = had ? more : more + wish.bits(level) * (Self.margin - 1)
                let mayRise = now >= holds[level]?.until ?? now && (last == nil || last == below)
                // The largest never pauses.
                let isLeast = level == .low && next.isEmpty
                guard isLeast || needed <= rest && (had || mayRise) else { continue }
                rest -= more
                next[wish.slot] = level
            }
        }
        return next
    }
}
