/// An event on its way to a hook.
struct HookEvent: Equatable, Sendable {
    /// Unique, and the same in each attempt, so that a receiver can recognise a repetition.
    var id: String
    /// The event as JSON on one line.
    var text: String
    /// The subject: a file, a participant or a role; nil for the whole session.
    var about: String?
    /// Variables of a command's environment.
    var variables: [String: String] = [:]
}

/// The result of an attempt.
enum HookResult: Equatable, Sendable {
    case delivered
    /// The reason. Another attempt may succeed unless it is final.
    case failed(String, isFinal: Bool)
}

/// Decides when a hook attempts to deliver its events: one at a time, in order, with retries.
///
/// The value has no clock: times are arguments, in nanoseconds.
struct HookQueue: Sendable {
    /// The most events that wait. Further ones are not delivered.
    static let capacity = 100
    /// The delays before the second attempt, the third one, and so on.
    static let delays: [Int64] = [1, 2, 4, 8, 16, 32, 60].map { $0 * 1_000_000_000 }
    /// The time after the session's end in which attempts begin.
    static let grace: Int64 = 60_000_000_000

    private var waiting: [HookEvent] = []
    private var isAttempting = false
    /// Attempts of the first event.
    private var attempts = 0
    private var lastReason = ""
    private var due: Int64 = 0
    /// The time after which no attempt begins; nil while the session runs.
    private var end: Int64?
    /// For the session's report.
    private(set) var report: SessionReport.Hook

    init(of trigger: HookTrigger) { report = SessionReport.Hook(on: trigger.rawValue) }

    /// Adds an event.
    ///
    /// - Returns: The reason that it is not delivered; nil if it waits.
    mutating func add(_ event: HookEvent, at now: Int64) -> String? {
        guard waiting.count < Self.capacity else {
            return drop(event, "\(Self.capacity) events wait")
        }
        if waiting.isEmpty { due = now }
        waiting.append(event)
        return nil
    }

    /// Adds no further events: the session has ended. A failed event is retried at once.
    mutating func close(at now: Int64) {
        end = now + Self.grace
        due = min(due, now)
    }

    /// The time of the next attempt; nil while an attempt runs, or if no event waits.
    var next: Int64? { isAttempting || waiting.isEmpty ? nil : due }

    /// Whether each event is delivered or dropped, after the session's end.
    var isFinished: Bool { end != nil && waiting.isEmpty }

    /// Begins an attempt, if one is due.
    mutating func attempt(at now: Int64) -> HookEvent? {
        guard let next, next <= now else { return nil }
        isAttempting = true
        attempts += 1
        report.attempts += 1
        return waiting[0]
    }

    /// Records the result of the attempt.
    ///
    /// - Returns: Lines for the log.
    mutating func ended(_ result: HookResult, at now: Int64) -> [String] {
        guard isAttempting else { return [] }
        isAttempting = false
        var lines: [String] = []
        switch result {
        case .delivered:
            report.delivered += 1
            removeFirst(at: now)
        case .failed(let reason, let isFinal):
            let delay = attempts <= Self.delays.count ? Self.delays[attempts - 1] : nil
            if let delay, !isFinal {
                due = now + delay
                lastReason = reason
                lines.append("\(reason); retrying in \(delay / 1_000_000_000) s")
            } else {
                lines.append(drop(waiting[0], reason))
                removeFirst(at: now)
            }
        }
        guard let end, let first = waiting.first, due > end else { return lines }
        // Later events would have to wait for this one.
        let reason = lastReason.isEmpty ? "the session had ended" : lastReason
        lines.append(drop(first, reason))
        for event in waiting.dropFirst() { lines.append(drop(event, "the session had ended")) }
        waiting = []
        return lines
    }

    private mutating func removeFirst(at now: Int64) {
        waiting.removeFirst()
        (attempts, lastReason, due) = (0, "", now)
    }

    private mutating func drop(_ event: HookEvent, _ reason: String) -> String {
        report.add(SessionReport.Hook.Undelivered(id: event.id, about: event.about, reason: reason))
        return "not delivered\(event.about.map { ": \($0)" } ?? ""): \(reason)"
    }
}
