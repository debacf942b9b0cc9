/// What a viewer gets in each slot: which rendition, and with how many bits, so that all of it is
/// borne by their network.
///
/// Large videos come first. Each begins with the half rendition; what is left makes full ones, as far
/// as they are shown larger than half. If the half renditions are too much already, they get fewer
/// bits; if that is too much, the smallest videos pause.
package struct SlotPlan: Sendable {
    /// A video that a viewer wants.
    package struct Wish: Equatable, Sendable {
        package var slot: Int
        /// The lines in which it is shown.
        package var lines: Int
        /// The lines of the half rendition.
        package var halfLines: Int
        package var fullBits: Int
        package var halfBits: Int

        package init(slot: Int, lines: Int, halfLines: Int, fullBits: Int, halfBits: Int) {
            self.slot = slot
            self.lines = lines
            self.halfLines = halfLines
            self.fullBits = fullBits
            self.halfBits = halfBits
        }

        /// Whether it is shown larger than the half rendition is. A little larger does not count.
        package var wantsFull: Bool { lines * 10 > halfLines * 12 }
    }

    /// What a slot gets.
    package struct Share: Equatable, Sendable {
        /// Nil: nothing, the network bears no more.
        package var rendition: Rendition?
        package var bits: Int
        /// Whether it is less than is shown because of the network.
        package var isLowered: Bool
    }

    /// So much more than a full rendition takes must be there before it is sent.
    private static let margin = 1.2
    /// How long a full rendition waits after it was too much, in seconds; twice as long each time.
    private static let shortestHold = 5.0
    private static let longestHold = 80.0
    /// A full rendition that has been borne for so long was not too much, in seconds.
    private static let proof = 15.0

    private var hasFull: Set<Int> = []
    private var hold = Self.shortestHold
    private var heldUntil = -Double.infinity
    private var lastRaise = -Double.infinity

    package init() {}

    /// Makes the plan.
    ///
    /// - Parameters:
    ///   - wishes: At most one for each slot.
    ///   - budget: What the network bears of video, in bits a second; nil: unknown, everything.
    ///   - now: On any clock, in seconds.
    /// - Returns: What each slot gets, by its number.
    package mutating func shares(
        of wishes: [Wish], within budget: Double?, at now: Double
    ) -> [Int: Share] {
        let ordered = wishes.sorted { ($0.lines, -$0.slot) > ($1.lines, -$1.slot) }
        guard let budget else {
            return Dictionary(
                ordered.map { wish in (wish.slot, Self.share(wish, wish.wantsFull)) },
                uniquingKeysWith: { first, _ in first })
        }
        let halves = ordered.reduce(0) { $0 + $1.halfBits }
        guard Double(halves) <= budget else {
            lower(at: now)
            hasFull = []
            return Self.lowered(ordered, to: budget)
        }
        var rest = budget - Double(halves)
        var shares: [Int: Share] = [:]
        var full: Set<Int> = []
        for wish in ordered {
            let more = Double(wish.fullBits - wish.halfBits)
            let had = hasFull.contains(wish.slot)
            // A new one needs some room, so that it is not too much at once.
            let needed = had ? more : more + Double(wish.fullBits) * (Self.margin - 1)
            let isFull = wish.wantsFull && needed <= rest && (had || now >= heldUntil)
            if isFull {
                rest -= more
                full.insert(wish.slot)
            }
            shares[wish.slot] = Self.share(wish, isFull)
        }
        let wanted = Set(wishes.filter(\.wantsFull).map(\.slot))
        if !hasFull.intersection(wanted).isSubset(of: full) {
            lower(at: now)
        } else if !full.isSubset(of: hasFull) {
            lastRaise = now
        } else if now - lastRaise > Self.proof {
            hold = Self.shortestHold
        }
        hasFull = full
        return shares
    }

    /// The network bears less than was sent: the next full rendition waits, longer if the last one was
    /// too much soon.
    private mutating func lower(at now: Double) {
        guard !hasFull.isEmpty else { return }
        hold = now - lastRaise < Self.proof ? min(hold * 2, Self.longestHold) : Self.shortestHold
        heldUntil = now + hold
    }

    private static func share(_ wish: Wish, _ isFull: Bool) -> Share {
        isFull
            ? Share(rendition: .full, bits: wish.fullBits, isLowered: false)
            : Share(rendition: .half, bits: wish.halfBits, isLowered: wish.wantsFull)
    }

    /// Half renditions that are together too much.
    private static func lowered(_ wishes: [Wish], to total: Double) -> [Int: Share] {
        var kept = wishes[...]
        while kept.count > 1,
            Double(kept.reduce(0) { $0 + Rendition.fewestBits(of: $1.halfBits) }) > total
        {
            kept.removeLast()
        }
        let bits = kept.reduce(0) { $0 + $1.halfBits }
        let scale = bits > 0 ? min(1, max(0, total / Double(bits))) : 1
        var shares: [Int: Share] = [:]
        for wish in wishes { shares[wish.slot] = Share(rendition: nil, bits: 0, isLowered: true) }
        for wish in kept {
            let few = max(
                Rendition.fewestBits(of: wish.halfBits), Int(Double(wish.halfBits) * scale))
            shares[wish.slot] = Share(rendition: .half, bits: few, isLowered: true)
        }
        return shares
    }
}
