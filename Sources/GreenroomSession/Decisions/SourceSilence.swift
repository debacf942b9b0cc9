/// Finds sources that send nothing though they owe frames or audio.
///
/// It has no clock: times are passed in, in nanoseconds on the session clock.
struct SourceSilence {
    /// What a source has promised.
    enum Promise {
        /// One frame after the other, the next within a time in nanoseconds: a camera.
        case frames(within: Int64)
        /// A first frame; after that it sends when there is something new: a share.
        case firstFrame
        /// Audio all the time. One that has sent some and falls silent is kept: many have nothing
        /// to say for a while.
        case audio
    }

    /// What is to be told, or done.
    enum Finding: Equatable {
        /// It has sent nothing for some time, in nanoseconds.
        case silent(Int64, isFirst: Bool)
        /// It has sent nothing for so long that it has failed.
        case failed(Int64)
        /// It sends again, after some time.
        case sends(Int64)
    }

    /// How long a source may be silent before that is told: its last frame stays for a second.
    static let limit: Int64 = 900_000_000

    /// How late a look may be. A later look means that the machine stood still: the source then gets this much
    /// time to send.
    private static let longestDelay: Int64 = 400_000_000

    fileprivate struct Entry {
        var accepted: Int
        /// When it was looked at last.
        var seen: Int64
        /// How long it has sent nothing.
        var silence: Int64 = 0
        var hasSent = false
        var isTold = false
        var hasFailed = false
        /// Whether the machine stood still since it has sent something.
        var hasStoodStill = false
        /// When there is something to be found if it sends nothing until then; nil for never.
        var due: Int64?
    }

    private var entries: [Int: Entry] = [:]

    /// When a source may have been silent for too long.
    var next: Int64? { entries.values.compactMap(\.due).min() }

    /// Whether the silence of a source was told.
    func isTold(_ plugin: Int) -> Bool { entries[plugin]?.isTold ?? false }

    /// Forgets a source that owes nothing now: it is away, stopped or paused.
    mutating func excuse(_ plugin: Int) { entries[plugin] = nil }

    /// Looks at a source that has been started.
    ///
    /// - Parameters:
    ///   - accepted: Frames or blocks that were accepted of it since it was started.
    ///   - newest: When the last of them was, if that is known: a look may come before or after it at
    ///     the same time.
    ///   - deadline: How long it may stay silent once that was told, in nanoseconds.
    ///   - startDeadline: How long it may take to its first frame or audio; nil for the same as
    ///     later.
    mutating func look(
        at plugin: Int, accepted: Int, newest: Int64? = nil, promise: Promise, deadline: Int64,
        startDeadline: Int64? = nil, now: Int64
    ) -> Finding? {
        var entry = entries[plugin] ?? Entry(accepted: 0, seen: now)
        let isLate = entry.due.map { now - $0 > Self.longestDelay } ?? false
        if isLate, !entry.hasStoodStill, let due = entry.due {
            entry.silence += max(due - entry.seen - Self.longestDelay, 0)
            entry.hasStoodStill = true
        } else {
            entry.silence += max(now - entry.seen, 0)
        }
        entry.seen = now
        var finding: Finding?
        if accepted != entry.accepted {
            if entry.isTold { finding = .sends(entry.silence) }
            let since = newest.map { max(now - $0, 0) } ?? 0
            entry = Entry(
                accepted: accepted, seen: now,
                silence: isLate ? min(since, Self.longestDelay) : since, hasSent: true)
        }
        let limits = entry.limits(of: promise, deadline, startDeadline)
        if finding == nil {
            let silence = entry.silence
            if !entry.isTold, let limit = limits.told, silence >= limit {
                entry.isTold = true
                finding = .silent(silence, isFirst: !entry.hasSent)
            } else if entry.isTold, !entry.hasFailed, let limit = limits.failed, silence >= limit {
                entry.hasFailed = true
                finding = .failed(silence)
            }
        }
        let limit = !entry.isTold ? limits.told : !entry.hasFailed ? limits.failed : nil
        entry.due = limit.flatMap { Self.sum(now, max($0 - entry.silence, 0)) }
        entries[plugin] = entry
        return finding
    }

    /// Nil for a time that never comes.
    fileprivate static func sum(_ time: Int64, _ span: Int64) -> Int64? {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? nil : sum
    }
}

extension SourceSilence.Entry {
    /// How long it may be silent before that is told, and before it has failed; nil for ever.
    fileprivate func limits(
        of promise: SourceSilence.Promise, _ deadline: Int64, _ startDeadline: Int64?
    ) -> (told: Int64?, failed: Int64?) {
        var told = SourceSilence.limit
        switch promise {
        // The next frame is due beyond all time.
        case .frames(.max): return (nil, nil)
        case .frames(let gap): told = max(told, gap)
        case .firstFrame where hasSent: return (nil, nil)
        case .audio where hasSent: return (told, nil)
        case .firstFrame, .audio: break
        }
        return (told, (hasSent ? nil : startDeadline) ?? SourceSilence.sum(told, deadline))
    }
}
