/// The time at which a step of a plugin counts as hung, and the time of the next check.
///
/// A value without a clock: times are arguments, in nanoseconds on the host clock. A callback's
/// time starts at the callback's own beginning: behind another step, or on a busy machine, a
/// callback begins later than its step.
package struct StepDeadline: Equatable {
    /// The facts about a step that has not ended.
    package struct Glance: Equatable {
        /// The running time of the step's callback; 0 while the process starts, nil if it does not
        /// run.
        package var taken: Int64?
        /// The running time of another callback of the plugin; nil if none runs.
        package var other: Int64?
        /// Whether a debugger is attached to the plugin's process and may stop it.
        package var isSpared: Bool
        /// The time that the plugin has spent in a media call; 0 outside of media calls.
        package var media: Int64

        package init(
            taken: Int64? = nil, other: Int64? = nil, isSpared: Bool = false, media: Int64 = 0
        ) {
            self.taken = taken
            self.other = other
            self.isSpared = isSpared
            self.media = media
        }
    }

    package enum Verdict: Equatable {
        /// The step may take longer. The value is the time of the next check.
        case waits(until: Int64)
        case hangs
    }

    /// Longest delay before a callback begins, because the host starts the process or the machine
    /// is busy.
    package static let startLimit: Int64 = 10_000_000_000

    /// Time limit of the callback.
    package let limit: Int64
    /// The time at which the callback counts as hung, unless it began later.
    package private(set) var end: Int64
    /// The time at which the callback counts as hung in any case.
    private var last: Int64
    /// The time that loading the plugin may take before the callback begins.
    private let loading: Int64

    /// - Parameters:
    ///   - limit: The time limit of the callback; above 0.
    ///   - loading: The time limit of loading the plugin before the callback begins; 0 if loading has
    ///     none.
    package init(_ limit: Int64, loading: Int64 = 0, from now: Int64) {
        self.limit = limit
        self.loading = loading
        (end, last) = (0, 0)
        restart(from: now)
    }

    /// Restarts the deadline, because another step delayed this step.
    package mutating func restart(from now: Int64) {
        end = Self.sum(now, limit)
        last = Self.sum(end, Self.sum(Self.startLimit, loading))
    }

    /// Gives the plugin no more time for loading, because the session ends.
    package mutating func endLoading(at now: Int64) {
        last = min(last, Self.sum(Self.sum(now, limit), Self.startLimit))
        end = min(end, last)
    }

    /// Checks a step that the session waits for.
    ///
    /// - Parameter mediaLimit: Time limit of a media call that delays the step.
    package mutating func lookAwaited(_ glance: Glance, at now: Int64, mediaLimit: Int64) -> Verdict
    {
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

    /// Checks a step that runs while the session continues. Other steps may delay it for any time.
    package func look(_ glance: Glance, at now: Int64) -> Verdict {
        let isOverdue =
            now > end
            && (glance.taken.map { $0 >= limit || now > last } ?? false)
        if isOverdue, !glance.isSpared { return .hangs }
        let due =
            glance.taken.map { min(max(end, Self.sum(now, limit - $0)), last) } ?? end
        // A step that is queued, or stopped in a debugger, is checked again later.
        return .waits(until: due >= now ? Self.sum(due, 1) : Self.sum(now, limit))
    }

    /// Returns the sum, limited to the largest value.
    private static func sum(_ time: Int64, _ span: Int64) -> Int64 {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? .max : sum
    }
}
