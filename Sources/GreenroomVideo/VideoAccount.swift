/// The amount of real video in a track. Each period of the track's rate is of one kind.
///
/// A value of plain numbers. The caller passes periods in order of time: the periods that
/// ``FrameRateConverter`` chooses, so the account describes a recording at the track's rate.
package struct VideoAccount: Equatable, Sendable {
    /// The quality of a frame.
    package enum Quality: Sendable {
        /// The source sent the frame in time, and every filter edited it in time.
        case fresh
        /// The frame arrived after live outputs had stopped waiting for it.
        case late
        /// A filter did not edit the frame.
        case unedited
    }

    /// The content that a track shows instead of a new frame.
    package enum HostFrame: Sendable {
        /// A slate, because the source was lost or sends no frames.
        case slate
        /// Black, because a command stopped the source.
        case black
        /// The last frame of a source that has ended normally.
        case lastFrame
    }

    /// Periods with a timely frame of the source, or with the previous frame if the source owed no
    /// newer frame: the source agreed on a lower rate, or is a share.
    package private(set) var real = 0
    /// Periods with a frame that arrived late.
    package private(set) var late = 0
    /// Periods with a frame that a filter did not edit.
    package private(set) var unedited = 0
    /// Periods that repeat a frame, although the source owed a newer frame.
    package private(set) var repeated = 0
    /// Periods with a slate.
    package private(set) var slate = 0
    /// Periods with black before the first frame, including after a restart of the source.
    package private(set) var missing = 0
    /// Periods for which the source owed no frame: it was stopped, had not connected yet, had
    /// ended, or paused before its first frame.
    package private(set) var stopped = 0

    private enum Shown {
        case nothing
        /// No content yet, from a source that paused before its first frame.
        case nothingYet
        /// No content or a slate, before the first connection of a source that connects by itself.
        case unconnected
        case frame
        case host(HostFrame)
    }

    /// The end of the track. The account does not count later periods.
    package var end = Int64.max

    private var shown = Shown.nothing
    /// The newest frame. If the track ends before the frame's period, the frame has none.
    private var newest: (period: Int64, quality: Quality)?
    /// The first period that the account has not counted.
    private(set) var next: Int64 = 0
    /// The number of further periods for which the newest frame satisfies the agreed rate.
    private var held = 0.0

    package init() {}

    package static func == (one: Self, other: Self) -> Bool { one.kinds == other.kinds }

    private var kinds: [Int] { [real, late, unedited, repeated, slate, missing, stopped] }

    /// The number of counted periods.
    package var total: Int { kinds.reduce(0, +) }

    /// Periods for which the source owed a frame.
    package var due: Int { total - stopped }

    /// The part of due periods that was real, late or not; nil if no period was due.
    package var realPart: Double? { due > 0 ? Double(real + late) / Double(due) : nil }

    /// Counts a frame.
    ///
    /// - Parameters:
    ///   - period: The period that shows the frame. Another frame for a counted period is in
    ///     excess.
    ///   - length: The number of periods for which the frame satisfies the agreed rate: 2 for 15
    ///     frames a second if the track began with 30, and infinity for a share.
    ///   - isPrompt: Whether the first frame also fills the periods before its own.
    package mutating func take(
        _ quality: Quality, at period: Int64, for length: Double, isPrompt: Bool = false
    ) {
        guard period >= next, period > newest?.period ?? .min, period < .max else { return }
        if isPrompt { begin(.frame) }
        fill(until: period)
        newest = (period, quality)
        shown = .frame
        // Carry over at most one period, because frames arrive slightly early or late.
        held = max(min(held, 1), 0) + max(length, 1) - 1
    }

    /// Records that the frame for a period cannot be shown, or does not exist. From that period on, the previous frame
    /// is a repeat.
    package mutating func lose(at period: Int64) {
        fill(until: period)
        held = 0
    }

    /// Counts the periods before the first content as filled with it.
    private mutating func begin(_ content: Shown) {
        guard case .nothing = shown, next == 0 else { return }
        shown = content
    }

    /// Shows other content from a period on, until the next frame.
    ///
    /// - Parameter isPrompt: Whether the first slate also fills the periods before its own.
    package mutating func show(_ frame: HostFrame, from period: Int64, isPrompt: Bool = false) {
        if isPrompt, frame == .slate { begin(.host(.slate)) }
        // A frame that arrived earlier is shown for one period.
        fill(until: max(period, newest.map { $0.period + 1 } ?? .min))
        if case .unconnected = shown, frame == .slate { return }
        shown = .host(frame)
    }

    /// Records that the source connects by itself. From a period on, the source owes no frames
    /// before ``start(from:)``.
    package mutating func awaitConnection(from period: Int64) {
        guard case .nothing = shown else { return }
        fill(until: period)
        shown = .unconnected
    }

    /// Records that the source restarted after a stop, or has connected. From a period on the
    /// source owes frames, regardless of the shown content.
    package mutating func start(from period: Int64) {
        switch shown {
        case .host(.black), .unconnected:
            fill(until: period)
            shown = .nothing
        default: break
        }
    }

    /// Records that the source pauses or resumes from a period on. The shown content stays. Before
    /// its first frame a paused source owes no frames.
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

    /// Returns the account of all periods before a period that frames have not reached yet. The
    /// shown content counts until there.
    package func closed(at period: Int64) -> VideoAccount {
        var account = self
        account.end = .max
        account.fill(until: period)
        return account
    }

    /// Returns the difference from an earlier account of the same track.
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
