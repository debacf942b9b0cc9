/// When a step of a plugin counts as hung, and when to look at it next.
///
/// A value without a clock: times are arguments, in nanoseconds on the host clock. A callback has its whole time
/// from its own beginning on: behind another step, or on a busy machine, it begins later than the step.
struct StepDeadline: Equatable {
    /// The facts about a step that has not ended.
    struct Glance: Equatable {
        /// How long the callback of this step has run; 0 while its process starts, nil if it does not run.
        var taken: Int64?
        /// The same of another callback that the plugin is in.
        var other: Int64?
        /// Whether a debugger has the plugin's process, and may keep it.
        var isSpared = false
        /// How long the plugin has been in a media call; 0 if it is in none.
        var media: Int64 = 0
    }

    enum Verdict: Equatable {
        /// It may take longer: the next look.
        case waits(until: Int64)
        case hangs
    }

    /// How late a callback may begin, because the host starts its process or the machine is busy.
    static let startLimit: Int64 = 10_000_000_000

    /// How long the callback may take.
    let limit: Int64
    /// When it counts as hung, unless it began later.
    private(set) var end: Int64
    /// When it does so in any case.
    private var last: Int64

    /// - Parameter limit: How long the callback may take; above 0.
    init(_ limit: Int64, from now: Int64) {
        self.limit = limit
        (end, last) = (0, 0)
        restart(from: now)
    }

    /// Restarts the deadline: another step kept this one waiting.
    mutating func restart(from now: Int64) {
        end = Self.sum(now, limit)
        last = Self.sum(end, Self.startLimit)
    }

    /// Looks at a step that the session waits for.
    ///
    /// - Parameter mediaLimit: How long a media call may take that the step waits behind.
    mutating func lookAwaited(_ glance: Glance, at now: Int64, mediaLimit: Int64) -> Verdict {
        guard now >= end else { return .waits(until: end) }
        guard !glance.isSpared else {
            restart(from: now)
            return .waits(until: end)
        }
        guard glance.other == nil, (glance.taken ?? 0) < limit, end < last,
            glance.media < mediaLimit
        else { return .hangs }
        end = min(Self.sum(now, limit - (glance.taken ?? 0)), last)
        return .waits(until: end)
    }

    /// Looks at a step that runs while the session continues. It may be behind another one for any time.
    func look(_ glance: Glance, at now: Int64) -> Verdict {
        let isOverdue =
            now > end
            && (glance.taken.map { $0 >= limit || now > last } ?? false)
        if isOverdue, !glance.isSpared { return .hangs }
        let due =
            glance.taken.map { min(max(end, Self.sum(now, limit - $0)), last) } ?? end
        // A step that waits for its turn, or stands in a debugger, gets another look later.
        return .waits(until: due >= now ? Self.sum(due, 1) : Self.sum(now, limit))
    }

    /// Saturates.
    private static func sum(_ time: Int64, _ span: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}
