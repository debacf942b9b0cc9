/// Finds sources that send nothing though they owe frames or audio.
///
/// It has no clock: times are passed in, in nanoseconds on the session clock.
struct SourceSilence {
    /// What a source has promised.
    enum Promise {
        /// A frame for each interval of a rate, in nanoseconds: a camera.
        case frames(every: Int64)
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

    /// How long a source may be silent before that is told. Sources are looked at ten times a
    /// second: a second has not passed then.
    static let limit: Int64 = 900_000_000
    /// A slow camera may leave out two frames.
    private static let longestGap: Int64 = 3

    /// What counts of the time between two looks, at most: a machine that stood still is no
    /// silence.
    private static let longestStep: Int64 = 200_000_000

    private struct Entry {
        var accepted: Int
        /// When it was looked at last.
        var seen: Int64
        /// How long it has sent nothing.
        var silence: Int64 = 0
        var hasSent = false
        var isTold = false
        var hasFailed = false
    }

    private var entries: [Int: Entry] = [:]

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
        defer { entries[plugin] = entry }
        entry.silence += min(max(now - entry.seen, 0), Self.longestStep)
        entry.seen = now
        let silence = entry.silence
        guard accepted == entry.accepted else {
            let wasTold = entry.isTold
            let since = newest.map { min(max(now - $0, 0), Self.longestStep) } ?? 0
            entry = Entry(accepted: accepted, seen: now, silence: since, hasSent: true)
            return wasTold ? .sends(silence) : nil
        }
        var limit = Self.limit
        var canFail = true
        switch promise {
        case .frames(let interval): limit = max(limit, Self.longestGap * interval)
        case .firstFrame where entry.hasSent: return nil
        case .firstFrame: break
        case .audio: canFail = !entry.hasSent
        }
        if !entry.isTold {
            guard silence >= limit else { return nil }
            entry.isTold = true
            return .silent(silence, isFirst: !entry.hasSent)
        }
        let longest = (entry.hasSent ? nil : startDeadline) ?? limit + deadline
        guard canFail, !entry.hasFailed, silence >= longest else { return nil }
        entry.hasFailed = true
        return .failed(silence)
    }
}
