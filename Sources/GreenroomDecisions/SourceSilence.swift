import GreenroomMedia

/// Detects sources that send no media although they owe frames or audio.
///
/// The value has no clock: times are arguments, in nanoseconds on the session clock.
package struct SourceSilence {
    /// The media that a source must send.
    package enum Promise {
        /// Frames from a camera: each within a time after the previous frame, in nanoseconds.
        case frames(within: Int64)
        /// A first frame from a share. After that, a share sends only new content.
        case firstFrame
        /// Continuous audio. Silence after the first audio is logged, but is not a failure, because
        /// many sources pause.
        case audio
    }

    /// The result of a check.
    package enum Finding: Equatable {
        /// The source has sent no media for some time, in nanoseconds.
        case silent(Int64, isFirst: Bool)
        /// The source has failed, after a silence in nanoseconds.
        case failed(Int64)
        /// The source sends again, after a silence in nanoseconds.
        case sends(Int64)
    }

    /// The silence after which the log reports a source. Until then the source's last frame stays.
    package static let limit = Limits.silenceNanoseconds

    /// The delay of a check up to which the machine counts as running. After a longer delay the
    /// source gets this much time to send.
    private static let longestDelay: Int64 = 400_000_000

    fileprivate struct Entry {
        var accepted: Int
        /// The time of the last check.
        var seen: Int64
        /// The length of the silence.
        var silence: Int64 = 0
        var hasSent = false
        var isTold = false
        var hasFailed = false
        /// Whether the machine has stood still since the source last sent media.
        var hasStoodStill = false
        /// The time of the next finding if the source sends nothing until then; nil for never.
        var due: Int64?
    }

    private var entries: [Int: Entry] = [:]

    package init() {}

    /// The time at which the next source may have been silent for too long.
    package var next: Int64? { entries.values.compactMap(\.due).min() }

    /// Whether the log has reported the silence of a source.
    package func isTold(_ plugin: Int) -> Bool { entries[plugin]?.isTold ?? false }

    /// Removes a source that owes no media now: absent, stopped or paused.
    package mutating func excuse(_ plugin: Int) { entries[plugin] = nil }

    /// Checks a source that has started.
    ///
    /// - Parameters:
    ///   - accepted: The number of frames or blocks accepted from the source since its start.
    ///   - newest: The time of the last accepted frame or block; nil if unknown. A check at the
    ///     same time may come before or after it.
    ///   - deadline: The silence allowed after the report, in nanoseconds.
    ///   - startDeadline: The time allowed until the first frame or audio, in nanoseconds; nil to
    ///     use the same limit as later.
    package mutating func look(
        at plugin: Int, accepted: Int, newest: Int64? = nil, promise: Promise, deadline: Int64,
        startDeadline: Int64? = nil, now: Int64
    ) -> Finding? {
        let known = entries[plugin]
        var entry = known ?? Entry(accepted: 0, seen: now)
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
            // A source that owed nothing until now has not been silent, however old its media is.
            let since = known == nil ? 0 : newest.map { max(now - $0, 0) } ?? 0
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

    /// Returns the sum; nil if it overflows, for a time that never comes.
    fileprivate static func sum(_ time: Int64, _ span: Int64) -> Int64? {
        let (sum, overflow) = time.addingReportingOverflow(span)
        return overflow ? nil : sum
    }
}

extension SourceSilence.Entry {
    /// Returns the silence before the report, and before the failure; nil for no limit.
    fileprivate func limits(
        of promise: SourceSilence.Promise, _ deadline: Int64, _ startDeadline: Int64?
    ) -> (told: Int64?, failed: Int64?) {
        var told = SourceSilence.limit
        switch promise {
        // The next frame is never due.
        case .frames(.max): return (nil, nil)
        case .frames(let gap): told = max(told, gap)
        case .firstFrame where hasSent: return (nil, nil)
        case .audio where hasSent: return (told, nil)
        case .firstFrame, .audio: break
        }
        return (told, (hasSent ? nil : startDeadline) ?? SourceSilence.sum(told, deadline))
    }
}
