/// How much of a video track was real: each period of the track's rate is of one kind.
///
/// A value of plain numbers: periods are passed in, in order of time.
package struct VideoAccount: Equatable, Sendable {
    /// What a frame is like.
    package enum Quality: Sendable {
        /// As its source sent it and all filters edited it, in time.
        case fresh
        /// The same, but it arrived later than live outputs wait for it.
        case late
        /// A filter was left out.
        case unedited
    }

    /// What a track shows that is no new frame.
    package enum HostFrame: Sendable {
        /// A slate: the source was lost, or sends nothing.
        case slate
        /// Black: the source was stopped by a command.
        case black
        /// The last frame, of a source that has come to its end in order.
        case lastFrame
    }

    /// Periods with a frame of the source in time, or with the one before where the source owed no
    /// newer one: it agreed on a lower rate, or is a share.
    package private(set) var real = 0
    /// Periods with a frame that came late.
    package private(set) var late = 0
    /// Periods with a frame that a filter has not edited.
    package private(set) var unedited = 0
    /// Periods with the frame before, though the source owed a newer one.
    package private(set) var repeated = 0
    /// Periods with a slate.
    package private(set) var slate = 0
    /// Periods before the first frame, also of a source that was started again.
    package private(set) var missing = 0
    /// Periods for which nothing was owed: the source was stopped, had not connected yet, had come to its
    /// end, or paused itself before its first frame.
    package private(set) var stopped = 0

    private enum Shown {
        case nothing
        /// Nothing, of a source that paused itself before its first frame.
        case nothingYet
        /// Nothing, or a slate, before the first connection of a source that connects by itself.
        case unconnected
        case frame
        case host(HostFrame)
    }

    /// The end of the track: no later period is counted.
    package var end = Int64.max

    private var shown = Shown.nothing
    /// The newest frame, which has no period of its own if the track ends before that.
    private var newest: (period: Int64, quality: Quality)?
    /// The first period that is not accounted for.
    private(set) var next: Int64 = 0
    /// For how many more periods the newest frame is as new as was agreed.
    private var held = 0.0

    package init() {}

    package static func == (one: Self, other: Self) -> Bool { one.kinds == other.kinds }

    private var kinds: [Int] { [real, late, unedited, repeated, slate, missing, stopped] }

    /// All together: the periods that are accounted for.
    package var total: Int { kinds.reduce(0, +) }

    /// Periods for which the source owed a frame.
    package var due: Int { total - stopped }

    /// The part of what was due that was real, late or not; nil if nothing was due.
    package var realPart: Double? { due > 0 ? Double(real + late) / Double(due) : nil }

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - period: The one that it shows in. Another frame for a period that is accounted for is
    ///     in excess.
    ///   - length: For how many periods it is as new as was agreed: 2 for 15 frames a second
    ///     where the track began with 30, and infinity for a share.
    ///   - isAhead: Whether it shows in a later period than that, since its source works ahead.
    package mutating func take(
        _ quality: Quality, at period: Int64, for length: Double, isAhead: Bool = false
    ) {
        guard period >= next, period > newest?.period ?? .min, period < .max else {
            if isAhead { held += 1 }
            return
        }
        fill(until: period)
        newest = (period, quality)
        shown = .frame
        // What is left is the next frame's, as far as frames come a little early or late.
        held = max(min(held, 1), 0) + max(length, 1) - 1
    }

    /// A newer frame was due in a period, and can't be shown: the one before is a repeat from there on.
    package mutating func lose(at period: Int64) {
        fill(until: period)
        held = 0
    }

    /// Shows something else from a period on, until the next frame.
    package mutating func show(_ frame: HostFrame, from period: Int64) {
        // A frame that came before it is shown for one period.
        fill(until: max(period, newest.map { $0.period + 1 } ?? .min))
        if case .unconnected = shown, frame == .slate { return }
        shown = .host(frame)
    }

    /// The source connects by itself: from a period on, it owes no frames before ``start(from:)``.
    package mutating func awaitConnection(from period: Int64) {
        guard case .nothing = shown else { return }
        fill(until: period)
        shown = .unconnected
    }

    /// The source was started again after a stop, or has connected: from a period on it owes frames, whatever
    /// is still shown.
    package mutating func start(from period: Int64) {
        switch shown {
        case .host(.black), .unconnected:
            fill(until: period)
            shown = .nothing
        default: break
        }
    }

    /// The source pauses itself, or resumes, from a period on. What is shown stays; before its first
    /// frame a paused source owes none.
    package mutating func pause(_ isPaused: Bool, from period: Int64) {
        switch shown {
        case .nothing where isPaused:
            fill(until: period)
            shown = .nothingYet
        case .nothingYet where !isPaused:
            fill(until: period)
            shown = .nothing
        default: break
        }
    }

    /// The account of all periods before one that is not reached by frames yet: what is shown stays.
    package func closed(at period: Int64) -> VideoAccount {
        var account = self
        account.end = .max
        account.fill(until: period)
        return account
    }

    /// What has happened since an earlier moment of the same track.
    package func since(_ earlier: VideoAccount) -> VideoAccount {
        var change = VideoAccount()
        change.real = real - earlier.real
        change.late = late - earlier.late
        change.unedited = unedited - earlier.unedited
        change.repeated = repeated - earlier.repeated
        change.slate = slate - earlier.slate
        change.missing = missing - earlier.missing
        change.stopped = stopped - earlier.stopped
        return change
    }

    private mutating func fill(until limit: Int64) {
        let end = min(limit, end)
        if let (period, quality) = newest, period < end {
            newest = nil
            switch quality {
            case .fresh: real += 1
            case .late: late += 1
            case .unedited: unedited += 1
            }
            next = period + 1
        }
        guard end > next else { return }
        let gap = Int(end - next)
        switch shown {
        case .nothing: missing += gap
        case .frame:
            let covered = Int(min(max(held.rounded(.down), 0), Double(gap)))
            held -= Double(covered)
            real += covered
            repeated += gap - covered
        case .host(.slate): slate += gap
        case .nothingYet, .unconnected, .host(.black), .host(.lastFrame): stopped += gap
        }
        next = end
    }
}
